package memorybank

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const domain = "memorybank"

// Error is a call that failed. What the status does not carry is empty.
type Error struct {
	// Code is gRPC's.
	Code codes.Code
	// Message is for people.
	Message string
	// Reason is the contract's, an ErrorReason without its prefix: "NODE_ABSORBED". Empty where the service did not answer.
	Reason string
	// Metadata has the keys that the contract lists for the reason.
	Metadata map[string]string
	// Fields of the request that cannot be accepted.
	Fields []FieldViolation
	// RetryAfter is when it makes sense to try again; 0: it is not told.
	RetryAfter time.Duration
	// RequestID is the one that was sent: a mutation repeated under it happens once. Empty for reads.
	RequestID string

	status *status.Status
}

// FieldViolation is a field, by its path in the request, and what is wrong with it.
type FieldViolation struct{ Field, Problem string }

func (e *Error) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s %s: %s", e.Code, e.Reason, e.Message)
}

// GRPCStatus lets the functions of package status read the error.
func (e *Error) GRPCStatus() *status.Status { return e.status }

// Unwrap returns the context's error for a call that the context ended.
func (e *Error) Unwrap() error {
	switch {
	case e.Reason != "":
		return nil
	case e.Code == codes.Canceled:
		return context.Canceled
	case e.Code == codes.DeadlineExceeded:
		return context.DeadlineExceeded
	}
	return nil
}

// Reason returns the contract's reason for an error of a call, "NODE_ABSORBED"; empty where there is none.
func Reason(err error) string {
	var failed *Error
	if errors.As(err, &failed) {
		return failed.Reason
	}
	return ""
}

// errorOf returns the Error of a call's error; nil and the end of a stream stay what they are.
func errorOf(err error, requestID string) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	ended := status.Convert(err)
	made := &Error{Code: ended.Code(), Message: ended.Message(), RequestID: requestID, status: ended}
	for _, detail := range ended.Details() {
		switch told := detail.(type) {
		case *errdetails.ErrorInfo:
			if told.Domain == domain {
				made.Reason, made.Metadata = told.Reason, told.Metadata
			}
		case *errdetails.BadRequest:
			for _, each := range told.FieldViolations {
				made.Fields = append(made.Fields, FieldViolation{Field: each.Field, Problem: each.Description})
			}
		case *errdetails.RetryInfo:
			made.RetryAfter = told.RetryDelay.AsDuration()
		}
	}
	return made
}
