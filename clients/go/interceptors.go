package memorybank

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// unary keeps the law on a call of one message for one.
func (l *law) unary(ctx context.Context, path string, request, response any, connection *grpc.ClientConn,
	invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	call := l.call(methodOf(path), request.(proto.Message))
	ctx, end := call.within(ctx)
	defer end()
	if err := invoke(ctx, path, call.message, response, connection, options...); err != nil {
		return call.failed(err)
	}
	call.answered(response)
	return nil
}

// stream keeps the law on a call of which one side streams or both do. It begins with its first message, which says what
// the call is about.
func (l *law) stream(ctx context.Context, description *grpc.StreamDesc, connection *grpc.ClientConn, path string,
	open grpc.Streamer, options ...grpc.CallOption) (grpc.ClientStream, error) {
	method := methodOf(path)
	if method == nil {
		ctx, _ = l.call(nil, nil).within(ctx)
		return open(ctx, description, connection, path, options...)
	}
	return &stream{law: l, method: method, ctx: ctx, one: !description.ServerStreams, opened: make(chan struct{}),
		open: func(ctx context.Context) (grpc.ClientStream, error) {
			return open(ctx, description, connection, path, options...)
		}}, nil
}

// stream is a grpc.ClientStream that opens when its first message is sent.
type stream struct {
	law    *law
	method *method
	ctx    context.Context
	one    bool // one response alone is awaited
	open   func(context.Context) (grpc.ClientStream, error)

	begin  sync.Once
	opened chan struct{} // closed once the rest is set
	inner  grpc.ClientStream
	call   *call
	end    context.CancelFunc
	err    error
}

func (s *stream) SendMsg(message any) error {
	s.begin.Do(func() {
		s.start(s.law.call(s.method, message.(proto.Message)))
		message = s.call.message
	})
	if s.err != nil {
		return s.err
	}
	return s.call.failed(s.inner.SendMsg(message))
}

func (s *stream) start(call *call) {
	var ctx context.Context
	s.call = call
	ctx, s.end = call.within(s.ctx)
	if s.inner, s.err = s.open(ctx); s.err != nil {
		s.end()
		s.err = call.failed(s.err)
	}
	close(s.opened)
}

func (s *stream) RecvMsg(message any) error {
	if err := s.wait(); err != nil {
		return err
	}
	err := s.inner.RecvMsg(message)
	if err != nil || s.one {
		s.end()
	}
	if err == nil {
		s.call.answered(message)
	}
	return s.call.failed(err)
}

func (s *stream) CloseSend() error {
	s.begin.Do(func() { s.start(s.law.call(nil, nil)) }) // nothing was sent: the service says what it misses
	if s.err != nil {
		return s.err
	}
	return s.inner.CloseSend()
}

func (s *stream) Header() (metadata.MD, error) {
	if err := s.wait(); err != nil {
		return nil, err
	}
	return s.inner.Header()
}

func (s *stream) Trailer() metadata.MD {
	if s.wait() != nil {
		return nil
	}
	return s.inner.Trailer()
}

func (s *stream) Context() context.Context { return s.ctx }

// wait returns once the stream is open, with what prevented it.
func (s *stream) wait() error {
	select {
	case <-s.opened:
	case <-s.ctx.Done():
		s.begin.Do(func() { s.err = errorOf(status.FromContextError(s.ctx.Err()).Err(), ""); close(s.opened) })
	}
	<-s.opened
	return s.err
}
