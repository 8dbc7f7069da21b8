package main

import (
	"encoding/json"
	"net/http"
	"os"
)

type request struct {
	Secret  string            `json:"secret"`
	Headers map[string]string `json:"headers"`
	Body    []byte            `json:"body"`
}

// Verifies the requests of a file with the program of docs/webhooks.md, and prints the id of each event, null where it refuses.
func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var requests []request
	if err := json.Unmarshal(text, &requests); err != nil {
		panic(err)
	}
	ids := make([]*string, len(requests))
	for index, each := range requests {
		headers := http.Header{}
		for name, value := range each.Headers {
			headers.Set(name, value)
		}
		if event, err := verified(each.Secret, headers, each.Body); err == nil {
			ids[index] = &event.ID
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(ids); err != nil {
		panic(err)
	}
}
