package memorybank

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	affinityKey      = "x-memory-bank"
	authorizationKey = "authorization"
	longestAffinity  = 1025
)

// gone are the reasons after which a subject's next read is not held to its past.
var gone = map[string]bool{
	"BANK_NOT_FOUND": true, "COLLECTION_NOT_FOUND": true, "CONVERSATION_NOT_FOUND": true, "INVOCATION_NOT_FOUND": true,
	"REVISION_NOT_REACHED": true,
}

// law is what every call of a connection carries, and what is learned from its outcome.
type law struct {
	key       string     // goes with every call; empty: none
	revisions *revisions // nil: reads ask for none
}

func newLaw(key string, readsItsWrites bool) *law {
	made := &law{key: key}
	if readsItsWrites {
		made.revisions = newRevisions()
	}
	return made
}

// call is one call as it goes out; nothing of the caller's own message is changed.
type call struct {
	law       *law
	message   proto.Message
	requestID string
	affinity  string
	subjects  []string
	time      time.Duration
}

// call completes a request, or the header within the first message of a streamed one.
func (l *law) call(method *method, message proto.Message) *call {
	made := &call{law: l, message: message}
	if method == nil {
		return made
	}
	header, whole := message.ProtoReflect(), message.ProtoReflect()
	if method.streamsUp {
		whole = copied(whole)
		header = headerOf(whole)
		made.message = whole.Interface()
	}
	if method.time > 0 {
		made.time = method.time + time.Duration(proto.Size(message)/bytesASecond)*time.Second
	}
	made.subjects = subjectsOf(header)
	made.affinity = affinityOf(header, made.subjects)
	completed := made.completed(header)
	made.requestID = text(completed, "request_id")
	if !method.streamsUp {
		made.message = completed.Interface()
	} else if header != whole {
		whole.Set(carrier(whole), protoreflect.ValueOfMessage(completed))
	}
	return made
}

// completed returns the header with a request id and the least revisions, where its caller gave none.
func (c *call) completed(header protoreflect.Message) protoreflect.Message {
	made := header
	set := func(name protoreflect.Name, value protoreflect.Value) {
		if made == header {
			made = copied(header)
		}
		made.Set(field(made, name), value)
	}
	if field(header, "request_id") != nil && text(header, "request_id") == "" {
		set("request_id", protoreflect.ValueOfString(newRequestID()))
	}
	if c.law.revisions == nil {
		return made
	}
	if asked := field(header, "min_revisions"); asked != nil {
		if value, more := c.leastOfEach(header.Get(asked).Map(), header.NewField(asked)); more {
			set("min_revisions", value)
		}
	} else if asked := field(header, "min_revision"); asked != nil && !header.Has(asked) && len(c.subjects) > 0 {
		if seen := c.law.revisions.of(c.subjects[0]); seen > 0 {
			set("min_revision", protoreflect.ValueOfInt64(seen))
		}
	}
	return made
}

// leastOfEach returns a map of least revisions with those that the caller did not name; false: it has no more.
func (c *call) leastOfEach(given protoreflect.Map, made protoreflect.Value) (protoreflect.Value, bool) {
	given.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		made.Map().Set(key, value)
		return true
	})
	for _, subject := range c.subjects {
		key := protoreflect.ValueOfString(subject).MapKey()
		seen := c.law.revisions.of(strings.TrimPrefix(subject, "bank/"))
		if strings.Contains(subject, "/") && seen > 0 && !given.Has(key) { // a bank's own id is of a call that writes there
			made.Map().Set(key, protoreflect.ValueOfInt64(seen))
		}
	}
	return made, made.Map().Len() > given.Len()
}

// within returns the context of the call: its metadata, and its deadline where the caller's has none.
func (c *call) within(ctx context.Context) (context.Context, context.CancelFunc) {
	given, _ := metadata.FromOutgoingContext(ctx)
	if c.law.key != "" && len(given.Get(authorizationKey)) == 0 {
		ctx = metadata.AppendToOutgoingContext(ctx, authorizationKey, "Bearer "+c.law.key)
	}
	if fitsHeader(c.affinity) && len(given.Get(affinityKey)) == 0 {
		ctx = metadata.AppendToOutgoingContext(ctx, affinityKey, c.affinity)
	}
	if _, has := ctx.Deadline(); c.time > 0 && !has {
		return context.WithTimeout(ctx, c.time)
	}
	return context.WithCancel(ctx)
}

// answered remembers the revisions that a response speaks of.
func (c *call) answered(response any) {
	message, ok := response.(proto.Message)
	if c.law.revisions == nil || !ok {
		return
	}
	told := message.ProtoReflect()
	if named := field(told, "revisions"); named != nil && named.IsMap() {
		told.Get(named).Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
			c.law.revisions.saw(strings.TrimPrefix(key.String(), "bank/"), value.Int())
			return true
		})
	}
	subject := bankIn(told)
	if len(c.subjects) > 0 && c.subjects[0] != "" {
		subject = c.subjects[0]
	}
	if revision := revisionIn(told); subject != "" && revision > 0 {
		c.law.revisions.saw(subject, revision)
	}
}

// failed returns the Error of the call's error. What is gone, or begins anew, is forgotten.
func (c *call) failed(err error) error {
	made := errorOf(err, c.requestID)
	failed, ok := made.(*Error)
	if !ok || c.law.revisions == nil {
		return made
	}
	switch {
	case gone[failed.Reason]:
		for _, subject := range c.subjects {
			c.law.revisions.forget(strings.TrimPrefix(subject, "bank/"))
		}
	case failed.Reason == "STRUCTURING_FAILED" && len(c.subjects) > 0: // what was done before stands
		if revision, err := strconv.ParseInt(failed.Metadata["revision"], 10, 64); err == nil {
			c.law.revisions.saw(c.subjects[0], revision)
		}
	}
	return made
}

// revisionIn returns the revision that a response tells, or the part of one that it brings; 0: none.
func revisionIn(response protoreflect.Message) int64 {
	if named := field(response, "revision"); named != nil && named.Kind() == protoreflect.Int64Kind {
		return response.Get(named).Int()
	}
	if part := carrier(response); part != nil && part.ContainingOneof() != nil {
		return revisionIn(response.Get(part).Message())
	}
	return 0
}

// bankIn returns the id of the bank that a call made, where its caller left that to the service.
func bankIn(response protoreflect.Message) string {
	if bank := field(response, "bank"); bank != nil && bank.Message() != nil {
		return text(response.Get(bank).Message(), "bank_id")
	}
	return ""
}

// headerOf returns the message that says what a streamed request is about: the part that its first message brings.
func headerOf(first protoreflect.Message) protoreflect.Message {
	if part := carrier(first); part != nil {
		return first.Get(part).Message()
	}
	return first
}

// carrier returns the field of the one message that a message brings; nil: it brings none.
func carrier(message protoreflect.Message) protoreflect.FieldDescriptor {
	var found protoreflect.FieldDescriptor
	message.Range(func(each protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if each.Message() != nil && !each.IsList() && !each.IsMap() {
			found = each
		}
		return found == nil
	})
	return found
}

// copied returns a message of the same fields; what they hold is shared.
func copied(message protoreflect.Message) protoreflect.Message {
	made := message.New()
	message.Range(func(each protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		made.Set(each, value)
		return true
	})
	made.SetUnknown(message.GetUnknown())
	return made
}

// fitsHeader tells whether gRPC takes a name as metadata; one that it does not goes without, and the service says why.
func fitsHeader(name string) bool {
	for i := range len(name) {
		c := name[i]
		plain := '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !plain && (i == 0 || !strings.ContainsRune("._:%/-", rune(c))) {
			return false
		}
	}
	return 0 < len(name) && len(name) <= longestAffinity
}

// newRequestID returns a UUID of version 4.
func newRequestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}
