// Calls that outlast a restart of the service: writes and reads until its input ends, then tells what became of them.
//
//	go run ./steady 127.0.0.1:7700
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"

	memorybank "memorybank.example/client"
	memory "memorybank.example/client/memorybank/v1"
)

const (
	bank    = "steady"
	callers = 8
	told    = 50 // writes between two lines
)

var written, failed atomic.Int64

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run ./steady HOST:PORT")
	}
	connection, err := memorybank.Dial(os.Args[1], memorybank.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	if err := create(memory.NewMemoryBankClient(connection)); err != nil {
		log.Fatal(err)
	}
	ended := make(chan struct{})
	var working sync.WaitGroup
	for caller := range callers {
		working.Go(func() { work(memory.NewQueryGraphClient(connection), caller, ended) })
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	close(ended)
	working.Wait()
	fmt.Println("written:", written.Load(), "failed:", failed.Load())
}

func create(banks memory.MemoryBankClient) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err := banks.CreateBank(ctx, &memory.CreateBankRequest{
		BankId: bank,
		EmbeddingSpace: &memory.EmbeddingSpace{
			Name: "of-the-example", Dimension: 4, Source: memory.SpaceSource_SPACE_SOURCE_CLIENT,
		},
	})
	return err
}

// work writes nodes one after another, and reads each.
func work(graph memory.QueryGraphClient, caller int, ended <-chan struct{}) {
	for number := 0; ; number++ {
		select {
		case <-ended:
			return
		case <-time.After(10 * time.Millisecond):
		}
		if err := writeAndRead(graph, fmt.Sprintf("c%d-%d", caller, number)); err != nil {
			failed.Add(1)
			log.Print(err)
			continue
		}
		if count := written.Add(1); count%told == 0 {
			fmt.Println("at work")
		}
	}
}

func writeAndRead(graph memory.QueryGraphClient, node string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := graph.AddNode(ctx, &memory.AddNodeRequest{
		BankId: bank, NodeId: node, Summary: node,
		Embedding: &memory.Vector{Values: []float32{1, 2, 3, 4}},
	}); err != nil {
		return err
	}
	_, err := graph.GetNode(ctx, &memory.GetNodeRequest{BankId: bank, NodeId: node})
	return err
}
