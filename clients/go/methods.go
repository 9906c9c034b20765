package memorybank

import (
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

const (
	contract       = "memorybank.v1."
	deadlineOption = contract + "deadline_seconds"
	readTime       = 10 * time.Second // of a method that states none and is harmless to repeat
	writeTime      = 30 * time.Second // of any other that states none
	bytesASecond   = 16 << 10         // of a request, for which its call is given a second more
)

// method is what the descriptors tell of one RPC.
type method struct {
	time      time.Duration // 0: it has no end
	streamsUp bool
}

var methods sync.Map // of *method by their path

// methodOf returns the method of a path, /memorybank.v1.Retrieval/Search; nil for one of another contract.
func methodOf(path string) *method {
	if known, ok := methods.Load(path); ok {
		return known.(*method)
	}
	made := described(strings.ReplaceAll(strings.TrimPrefix(path, "/"), "/", "."))
	methods.Store(path, made)
	return made
}

func described(name string) *method {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	descriptor, ok := found.(protoreflect.MethodDescriptor)
	if err != nil || !ok || !strings.HasPrefix(name, contract) {
		return nil
	}
	return &method{time: timeOf(descriptor.Options().(*descriptorpb.MethodOptions)), streamsUp: descriptor.IsStreamingClient()}
}

func timeOf(options *descriptorpb.MethodOptions) time.Duration {
	stated, err := protoregistry.GlobalTypes.FindExtensionByName(deadlineOption)
	if err == nil && proto.HasExtension(options, stated) {
		return time.Duration(proto.GetExtension(options, stated).(uint32)) * time.Second
	}
	if options.GetIdempotencyLevel() == descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
		return writeTime
	}
	return readTime
}
