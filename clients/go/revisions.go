package memorybank

import (
	"container/list"
	"sync"
)

const mostSubjects = 10_000

// revisions are the highest seen of each bank or other memory, of those seen last.
type revisions struct {
	lock  sync.Mutex
	seen  map[string]*list.Element
	order *list.List // of *sighting, the one seen last in front
}

type sighting struct {
	subject  string
	revision int64
}

func newRevisions() *revisions {
	return &revisions{seen: map[string]*list.Element{}, order: list.New()}
}

// of returns the highest revision seen of a subject; 0: none.
func (r *revisions) of(subject string) int64 {
	r.lock.Lock()
	defer r.lock.Unlock()
	if found, ok := r.seen[subject]; ok {
		return found.Value.(*sighting).revision
	}
	return 0
}

func (r *revisions) saw(subject string, revision int64) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if found, ok := r.seen[subject]; ok {
		known := found.Value.(*sighting)
		known.revision = max(known.revision, revision)
		r.order.MoveToFront(found)
		return
	}
	r.seen[subject] = r.order.PushFront(&sighting{subject: subject, revision: revision})
	if r.order.Len() > mostSubjects {
		oldest := r.order.Remove(r.order.Back()).(*sighting)
		delete(r.seen, oldest.subject)
	}
}

func (r *revisions) forget(subject string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if found, ok := r.seen[subject]; ok {
		r.order.Remove(found)
		delete(r.seen, subject)
	}
}
