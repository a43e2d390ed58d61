// Sends a signed GraphQL request to Muster with the standard library: go run examples/query.go ['query' ['variables']]
// Reads the URL and the access key from the section [default] of the file that MUSTER_CREDENTIALS names, or of
// data/credentials if this variable is unset or empty. Exits with 0 only if there is a response without errors. Signs
// with hmac-sha256 (RFC 9421), and covers a digest of the body (RFC 9530).
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"time"
)

func main() {
	args := []string{"{ login { devices(size: 5) { total items { id name state } } } }", "{}"}
	copy(args, os.Args[1:])
	body := must(json.Marshal(map[string]any{"query": args[0], "variables": json.RawMessage(args[1])}))
	request := must(http.NewRequest("POST", setting("MUSTER_URL")+"/graphql/v1", bytes.NewReader(body)))
	sum, encode := sha256.Sum256(body), base64.StdEncoding.EncodeToString
	digest := "sha-256=:" + encode(sum[:]) + ":"
	parameters := fmt.Sprintf(`("@method" "@authority" "@path" "content-type" "content-digest");created=%d;keyid="%s";alg="hmac-sha256"`, time.Now().Unix(), setting("MUSTER_ACCESS_KEY_ID"))
	mac := hmac.New(sha256.New, must(base64.StdEncoding.DecodeString(setting("MUSTER_SECRET_ACCESS_KEY"))))
	fmt.Fprintf(mac, "\"@method\": POST\n\"@authority\": %s\n\"@path\": %s\n\"content-type\": application/json\n"+
		"\"content-digest\": %s\n\"@signature-params\": %s", request.Host, request.URL.Path, digest, parameters)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Content-Digest": {digest},
		"Signature-Input": {"sig1=" + parameters}, "Signature": {"sig1=:" + encode(mac.Sum(nil)) + ":"}}
	response := must(io.ReadAll(must(http.DefaultClient.Do(request)).Body))
	fmt.Println(string(response))
	if !bytes.HasPrefix(response, []byte(`{"data":`)) {
		os.Exit(1)
	}
}

func setting(name string) string {
	file := os.Getenv("MUSTER_CREDENTIALS")
	if file == "" {
		file = "data/credentials"
	}
	section := regexp.MustCompile(`(?s)\[default\].*?(\n\s*\[|\z)`).Find(must(os.ReadFile(file)))
	line := regexp.MustCompile(`\n\s*` + name + `\s*=\s*(\S+)`).FindSubmatch(section)
	if line == nil {
		log.Fatalf("%s is not in the section [default] of %s", name, file)
	}
	return string(line[1])
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
