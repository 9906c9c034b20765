package memorybank

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// What a call speaks of, as keys of revisions: a bank by its id, any other memory as KIND/NAME. The service uses the
// same names in its maps of revisions.

const longTerm = "memorybank/v1/long_term.proto"

// subjectsOf returns the keys of what a request names; the first is the one whose revision is answered.
func subjectsOf(request protoreflect.Message) []string {
	if field(request, "min_revisions") != nil {
		return partsOf(request)
	}
	user, bank := text(request, "user"), text(request, "bank_id")
	invocation, name := field(request, "invocation_id"), request.Descriptor().Name()
	switch {
	case bank != "":
		return []string{bank}
	case field(request, "owner") != nil:
		return []string{instructions(request)}
	case request.Descriptor().ParentFile().Path() == longTerm:
		return collection(request)
	case invocation != nil && (name == "StartInvocationRequest" || name == "EndInvocationRequest"):
		return nil // one that only begins has no id yet; the end of one answers another's revision
	case invocation != nil && text(request, "invocation_id") != "":
		return []string{fmt.Sprintf("invocation/%s/%s", encoded(user), text(request, "invocation_id"))}
	case text(request, "conversation_id") != "":
		return []string{fmt.Sprintf("conversation/%s/%s", encoded(user), text(request, "conversation_id"))}
	}
	return nil
}

// partsOf returns the keys of a request of several parts. The bank of one that writes there is not asked for.
func partsOf(request protoreflect.Message) []string {
	user, bank := encoded(text(request, "user")), text(request, "bank_id")
	writes := field(request, "request_id") != nil
	var found []string
	if writes {
		found = append(found, bank)
	}
	if id := text(request, "conversation_id"); id != "" {
		found = append(found, "conversation/"+user+"/"+id)
	}
	if bank != "" && !writes {
		found = append(found, "bank/"+bank)
	}
	if named := field(request, "collection"); named != nil && request.Has(named) {
		found = append(found, collection(request)...)
	}
	if id := text(request, "invocation_id"); id != "" {
		found = append(found, "invocation/"+user+"/"+id)
	}
	if refs := field(request, "refs"); refs != nil {
		for i := range request.Get(refs).List().Len() {
			found = append(found, instructions(request.Get(refs).List().Get(i).Message()))
		}
	}
	if id := text(request, "run_id"); id != "" {
		found = append(found, "run/"+user+"/"+id)
	}
	return found
}

// collection returns the key of the collection that a request is about; a user's list of them is about none.
func collection(request protoreflect.Message) []string {
	named := field(request, "collection")
	if named == nil {
		return nil
	}
	if named.Message() != nil { // UpdateCollection brings it whole
		return collection(request.Get(named).Message())
	}
	return []string{fmt.Sprintf("collection/%s/%s", encoded(text(request, "user")), encoded(request.Get(named).String()))}
}

// instructions returns the key of the documents of the owner that a message names.
func instructions(message protoreflect.Message) string {
	owner := message.Get(field(message, "owner")).Message()
	level := owner.WhichOneof(owner.Descriptor().Oneofs().ByName("level"))
	switch {
	case level == nil:
		return "instructions//"
	case level.Kind() != protoreflect.StringKind: // the tenant's
		return fmt.Sprintf("instructions/%s/", level.Name())
	}
	return fmt.Sprintf("instructions/%s/%s", level.Name(), encoded(owner.Get(level).String()))
}

// affinityOf returns what a proxy may keep a call by: the bank, or the user whose memory it is, or the owner of documents.
// Empty: anything will do.
func affinityOf(request protoreflect.Message, subjects []string) string {
	if bank := text(request, "bank_id"); bank != "" {
		return bank
	}
	for _, name := range []protoreflect.Name{"user", "collection"} { // UpdateUser and UpdateCollection bring it whole
		if whole := field(request, name); whole != nil && whole.Message() != nil {
			request = request.Get(whole).Message()
		}
	}
	if user := text(request, "user"); user != "" {
		return "user/" + encoded(user)
	}
	if len(subjects) == 0 {
		return ""
	}
	return strings.TrimPrefix(subjects[0], "instructions/")
}

// encoded returns a name in a key: percent-encoded outside [A-Za-z0-9._:-].
func encoded(name string) string {
	var made strings.Builder
	for i := range len(name) {
		if c := name[i]; strings.IndexByte("._:-", c) >= 0 || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' {
			made.WriteByte(c)
		} else {
			fmt.Fprintf(&made, "%%%02X", c)
		}
	}
	return made.String()
}

func field(message protoreflect.Message, name protoreflect.Name) protoreflect.FieldDescriptor {
	return message.Descriptor().Fields().ByName(name)
}

// text returns a field of text; empty where the message has none of the name.
func text(message protoreflect.Message, name protoreflect.Name) string {
	if named := field(message, name); named != nil && named.Kind() == protoreflect.StringKind && !named.IsList() {
		return message.Get(named).String()
	}
	return ""
}
