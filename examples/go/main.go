// Agentic Memory Bank from Go: create, memorize, search, read your own write, follow a merged node, stream, watch.
//
//	go run . 127.0.0.1:7700
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"

	memorybank "memorybank.example/client"
	memory "memorybank.example/client/memorybank/v1"
)

const bank = "from-go"

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run . HOST:PORT")
	}
	connection, err := memorybank.Dial(os.Args[1], memorybank.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := tour(ctx, connection); err != nil {
		log.Fatal(err)
	}
}

func tour(ctx context.Context, connection *grpc.ClientConn) error {
	banks := memory.NewMemoryBankClient(connection)
	if _, err := banks.CreateBank(ctx, &memory.CreateBankRequest{BankId: bank}); err != nil {
		return err
	}
	watching, err := watch(ctx, banks)
	if err != nil {
		return err
	}
	if _, err := banks.Memorize(ctx, &memory.MemorizeRequest{
		BankId: bank, Text: "The ferry to Naxos leaves at nine from pier 3.",
	}); err != nil {
		return err
	}
	// It asks for the revision of the write by itself: whichever process answers has seen it.
	found, err := memory.NewRetrievalClient(connection).Search(ctx, &memory.SearchRequest{
		BankId: bank, Query: &memory.SearchRequest_Text{Text: "when does the ferry leave?"},
	})
	if err != nil {
		return err
	}
	fmt.Println("found:", found.Hits[0].GetNode().Summary)
	if err := follow(ctx, memory.NewQueryGraphClient(connection)); err != nil {
		return err
	}
	if err := stream(ctx, banks); err != nil {
		return err
	}
	return watching()
}

// follow reads a node that was merged into another, and goes to the one that stands for it today.
func follow(ctx context.Context, graph memory.QueryGraphClient) error {
	for _, node := range []*memory.AddNodeRequest{
		{BankId: bank, NodeId: "n-ticket", Summary: "A ferry ticket to Naxos costs 42 euro."},
		{BankId: bank, NodeId: "n-fare", Summary: "The fare to Naxos is 42 euro."},
	} {
		if _, err := graph.AddNode(ctx, node); err != nil {
			return err
		}
	}
	if _, err := graph.MergeNodes(ctx, &memory.MergeNodesRequest{
		BankId: bank, NodeIds: []string{"n-ticket", "n-fare"}, NewNodeId: "n-price", Summary: "Naxos by ferry: 42 euro.",
	}); err != nil {
		return err
	}
	_, err := graph.GetNode(ctx, &memory.GetNodeRequest{BankId: bank, NodeId: "n-fare"})
	var failed *memorybank.Error
	if !errors.As(err, &failed) || failed.Reason != "NODE_ABSORBED" {
		return fmt.Errorf("not absorbed: %w", err)
	}
	node, err := graph.GetNode(ctx, &memory.GetNodeRequest{BankId: bank, NodeId: failed.Metadata["into"]})
	if err != nil {
		return err
	}
	fmt.Println("followed:", node.Node.Summary)
	return nil
}

// stream memorizes a text in pieces, as one would a file of any size.
func stream(ctx context.Context, banks memory.MemoryBankClient) error {
	calls, err := banks.MemorizeStream(ctx)
	if err != nil {
		return err
	}
	parts := []*memory.MemorizeStreamRequest{
		{Part: &memory.MemorizeStreamRequest_Header{Header: &memory.MemorizeRequest{BankId: bank, Source: "notes.md"}}},
		{Part: &memory.MemorizeStreamRequest_Text{Text: "The museum of Naxos opens at eight. "}},
		{Part: &memory.MemorizeStreamRequest_Text{Text: "It is closed on Tuesdays."}},
	}
	for _, part := range parts {
		if err := calls.Send(part); err != nil {
			return err
		}
	}
	if err := calls.CloseSend(); err != nil {
		return err
	}
	for {
		news, err := calls.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if result := news.GetResult(); result != nil {
			fmt.Println("streamed:", len(result.NodeIds) > 0)
		}
	}
}

// watch follows the bank from its beginning; what it returns waits for the first node that was added.
func watch(ctx context.Context, banks memory.MemoryBankClient) (func() error, error) {
	from := int64(0)
	changes, err := banks.WatchBank(ctx, &memory.WatchBankRequest{BankId: bank, FromRevision: &from})
	if err != nil {
		return nil, err
	}
	return func() error {
		for {
			change, err := changes.Recv()
			if err != nil {
				return err
			}
			for _, event := range change.Events {
				if node := event.GetNodeAdded(); node != nil {
					fmt.Println("watched:", node.Summary)
					return nil
				}
			}
		}
	}, nil
}
