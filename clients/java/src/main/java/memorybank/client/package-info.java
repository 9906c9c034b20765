/**
 * The client of Agentic Memory Bank. The stubs of its contract ({@code memorybank.v1}) keep the law of clients/README.md
 * on a channel made here: request ids, affinity, reads of one's own writes, deadlines, retries, typed errors.
 */
package memorybank.client;
