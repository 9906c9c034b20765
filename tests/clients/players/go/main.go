// The player in Go: generic calls over a connection of the client's.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	memorybank "memorybank.example/client"
	_ "memorybank.example/client/memorybank/v1"
)

type step struct {
	Step     string
	Turn     string
	Call     string
	Request  json.RawMessage
	Requests []json.RawMessage
	Take     int
	Timeout  float64
	Key      string
	Last     bool
	Show     []string
	Save     map[string]string
}

type object = map[string]any

func main() {
	address, transcript := os.Args[1], os.Args[2]
	known := map[string]string{}
	must(json.Unmarshal([]byte(os.Args[3]), &known))
	connection, err := memorybank.Dial(address, memorybank.Options{})
	must(err)
	read, err := os.ReadFile(transcript)
	must(err)
	var steps []json.RawMessage
	must(json.Unmarshal(read, &steps))
	input := bufio.NewReader(os.Stdin)
	for _, raw := range steps {
		text := string(raw)
		for name, value := range known {
			text = strings.ReplaceAll(text, "${"+name+"}", value)
		}
		var each step
		must(json.Unmarshal([]byte(text), &each))
		told := object{}
		if each.Turn != "" {
			tell(object{"turn": each.Turn})
			_, _ = input.ReadString('\n')
		} else {
			told = play(connection, each, known)
		}
		told["step"] = each.Step
		tell(told)
	}
}

func play(connection *grpc.ClientConn, each step, known map[string]string) object {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if each.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(each.Timeout*float64(time.Second)))
		defer cancel()
	}
	if each.Key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+each.Key)
	}
	answers, err := call(ctx, connection, each)
	told := object{}
	if err != nil {
		told["error"] = takenApart(err)
	}
	for name, path := range each.Save {
		var found any = answers[len(answers)-1]
		for _, part := range strings.Split(path, ".") {
			found = found.(object)[part]
		}
		known[name] = fmt.Sprint(found)
	}
	if each.Last && len(answers) > 0 {
		answers = answers[len(answers)-1:]
	}
	if each.Show != nil {
		for i, answer := range answers {
			shown := object{}
			for _, name := range each.Show {
				if value, ok := answer[name]; ok {
					shown[name] = value
				}
			}
			answers[i] = shown
		}
	}
	told["answers"] = answers
	return told
}

func call(ctx context.Context, connection *grpc.ClientConn, each step) ([]object, error) {
	name := "memorybank.v1." + strings.ReplaceAll(each.Call, "/", ".")
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	must(err)
	method := found.(protoreflect.MethodDescriptor)
	path, answers := "/memorybank.v1."+each.Call, []object{}
	if !method.IsStreamingClient() && !method.IsStreamingServer() {
		answer := message(method.Output(), nil)
		if err := connection.Invoke(ctx, path, message(method.Input(), each.Request), answer); err != nil {
			return answers, err
		}
		return append(answers, shown(answer)), nil
	}
	stream, err := connection.NewStream(ctx,
		&grpc.StreamDesc{ClientStreams: method.IsStreamingClient(), ServerStreams: method.IsStreamingServer()}, path)
	if err != nil {
		return answers, err
	}
	requests := each.Requests
	if !method.IsStreamingClient() {
		requests = []json.RawMessage{each.Request}
	}
	for _, request := range requests {
		if err := stream.SendMsg(message(method.Input(), request)); err != nil {
			break // what ended the call is told below
		}
	}
	_ = stream.CloseSend()
	for each.Take == 0 || len(answers) < each.Take {
		answer := message(method.Output(), nil)
		if err := stream.RecvMsg(answer); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return answers, err
		}
		answers = append(answers, shown(answer))
		if !method.IsStreamingServer() {
			break
		}
	}
	return answers, nil
}

func message(of protoreflect.MessageDescriptor, text json.RawMessage) proto.Message {
	found, err := protoregistry.GlobalTypes.FindMessageByName(of.FullName())
	must(err)
	made := found.New().Interface()
	if text != nil {
		must(protojson.Unmarshal(text, made))
	}
	return made
}

func shown(answer proto.Message) object {
	text, err := protojson.Marshal(answer)
	must(err)
	made := object{}
	must(json.Unmarshal(text, &made))
	return made
}

func takenApart(err error) object {
	var failed *memorybank.Error
	if !errors.As(err, &failed) {
		log.Fatalf("not typed: %v", err)
	}
	fields := [][]string{}
	for _, each := range failed.Fields {
		fields = append(fields, []string{each.Field, each.Problem})
	}
	told := failed.Metadata
	if told == nil {
		told = map[string]string{}
	}
	return object{"code": failed.Code, "reason": failed.Reason, "metadata": told, "fields": fields,
		"retry": failed.RetryAfter > 0, "sent": failed.RequestID != ""}
}

func tell(told object) {
	text, err := json.Marshal(told)
	must(err)
	fmt.Println(string(text))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
