// Renders a Helm chart as `helm template` does: render-chart CHART < INPUT. The input is JSON: the release's name, and
// values that override values.yaml. Of the functions that Helm adds to Sprig's, the program provides only those that
// the chart uses. Its libraries are in Debian's packages golang-github-masterminds-sprig-dev and
// golang-gopkg-yaml.v3-dev.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

type object = map[string]interface{}

func main() {
	chart := os.Args[1]
	var input struct {
		Name   string
		Values object
	}
	check(json.NewDecoder(os.Stdin).Decode(&input))
	metadata := object{}
	values := object{}
	read(filepath.Join(chart, "Chart.yaml"), &metadata)
	read(filepath.Join(chart, "values.yaml"), &values)
	merge(values, input.Values)
	context := object{
		"Values":  values,
		"Chart":   object{"Name": metadata["name"], "Version": metadata["version"], "AppVersion": metadata["appVersion"]},
		"Release": object{"Name": input.Name, "Namespace": "default", "Service": "Helm"},
	}

	templates := template.New("chart").Option("missingkey=zero").Funcs(sprig.TxtFuncMap())
	templates.Funcs(template.FuncMap{
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"include": func(name string, data interface{}) (string, error) {
			var text strings.Builder
			err := templates.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
	})
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	_, err = templates.ParseFiles(files...)
	check(err)
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		fmt.Printf("---\n# Source: %s\n", name)
		if name == "NOTES.txt" {
			var notes strings.Builder
			check(templates.ExecuteTemplate(&notes, name, context))
			encoded, err := yaml.Marshal(object{"notes": notes.String()})
			check(err)
			fmt.Print(string(encoded))
			continue
		}
		check(templates.ExecuteTemplate(os.Stdout, name, context))
		fmt.Println()
	}
}

func read(path string, target *object) {
	text, err := os.ReadFile(path)
	check(err)
	check(yaml.Unmarshal(text, target))
}

// merge copies the values of source into target. It merges nested maps, and overrides all other values.
func merge(target, source object) {
	for key, value := range source {
		inner, isMap := value.(object)
		existing, wasMap := target[key].(object)
		if isMap && wasMap {
			merge(existing, inner)
		} else {
			target[key] = value
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
