import type { GraphQLSchema } from 'graphql'
import type { ErrorCode } from '../errors.ts'
import { fragments } from './fragments.ts'
import { type Operation, readOperation } from './operation.ts'
import { routeGroups } from './routes.ts'
import { restCodes, statusOfCode } from './statuses.ts'

/** Describes the REST API for people: docs/reference/rest.md, and the response of `GET /rest/v1`. */
export function restReference(schema: GraphQLSchema): string {
  const groups = Object.entries(routeGroups).map(
    ([name, routes]) => `## ${name.slice(0, 1).toUpperCase()}${name.slice(1)}

${routes.map((route) => describe(readOperation(route, schema))).join('\n\n')}
`,
  )
  return `# REST

The REST API is for clients that cannot use GraphQL. It is **deprecated from the start** and will be removed when no client needs it.
Every route runs a GraphQL document, shown below. The same document sent to \`POST /graphql/v1\` does the same; \`$self\` is your user
id. Subscriptions have no route. Use a webhook, poll \`GET /rest/v1/events\` with \`minDate\` and skip ids that you have seen, or
subscribe at \`/graphql/v1/stream\`.

Paths are below \`/rest/v1\`. \`GET /rest/v1/openapi.json\` describes them for programs (OpenAPI 3.1).

- **Signatures, permissions, and limits** are those of the GraphQL API. A signature covers the path and the query string as sent.
  Sessions of a browser are rejected.
- **Parts of a path** are percent-encoded: the attribute \`a/b\` is \`…/attributes/a%2Fb\`. Colons in ids need no encoding.
- **GET** has its arguments as query parameters. For a list, repeat the parameter (\`platform=linux&platform=esp32\`). \`attributes\` is
  one parameter per name (\`attributes.site=oslo&attributes.net.ssid=lab\`), or percent-encoded JSON (\`attributes={"site":null}\`). Only
  JSON can contain null. Every GET route supports \`HEAD\`.
- **Changes** have their arguments in the path and in a JSON object as the body (\`Content-Type: application/json\`), not in the query
  string. An omitted argument and \`null\` mean the same as in the GraphQL API. PATCH of attributes also accepts
  \`application/merge-patch+json\` (RFC 7396). A DELETE can have a body, too; clients that cannot send one use \`POST /devices/delete\`.
- Required arguments are in bold below. **Unknown** query parameters and members of the body are rejected. So are repeated parameters
  that take a single value.
- **Responses** are JSON: 200, 201 with \`Location\` for a new object, or 204 without a body. Lists are objects with \`items\`. Pages
  also have \`total\`, \`hasMore\`, \`last\`, and \`cursor\`, and a \`Link\` with \`rel="next"\` if there is another page.
  \`total=false\` omits \`total\`, which takes time to count.
- **Headers** of every response: \`Deprecation\` (RFC 9745), \`Link\` to the GraphQL API (\`rel="successor-version"\`) and to this page
  (\`rel="deprecation"\`), and \`x-request-id\`.

## Errors

Errors have the form \`{"errors": [{"message", "extensions": {"code"}}]}\`, as in the whole API. A rejected request has changed
nothing. A change that got 503 while it was in flight may have been made: check before you repeat it.

| Code | HTTP status |
| --- | --- |
${restCodes.map((code) => `| \`${code}\` | ${statusText(code)} |`).join('\n')}

Other statuses: 404 for an unknown path, 405 with \`Allow\` for a method that a path does not support, 413 for a body over the limit,
and 415 for a body that is not JSON.

${groups.join('\n')}
## Fragments

The documents above use these fragments. They list the members of each object in a response.

\`\`\`graphql
${Object.values(fragments).map(unindent).join('\n')}
\`\`\`
`
}

const statusText = (code: ErrorCode): string =>
  code === 'LIMIT_EXCEEDED' ? `413 for the body as a whole, else ${statusOfCode(code)}` : String(statusOfCode(code))

function describe({ route, isChange, parameters }: Operation): string {
  const isMandatory = (name: string): boolean => route.written?.includes(name) ?? false
  const names = parameters.map(({ name, isRequired }) => (isRequired || isMandatory(name) ? `**${name}**` : name))
  const given = names.length === 0 ? '' : `\n\n${argumentsTitle(route.body, isChange)}: ${names.join(', ')}.`
  const part = route.at === undefined || route.status === 204 ? '' : ` with \`${route.at}\``
  return `### \`${route.method} ${route.path}\`

${route.summary}${given} Returns ${route.status}${part}.

\`\`\`graphql
${unindent(route.document)}
\`\`\``
}

const argumentsTitle = (body: string | undefined, isChange: boolean): string => {
  if (body !== undefined) return 'The body is'
  return isChange ? 'Body' : 'Query'
}

/** Removes the common indentation of a document. */
function unindent(document: string): string {
  const lines = document.replaceAll(/\( /g, '(').split('\n')
  const [, second = ''] = lines
  const last = lines.at(-1) ?? ''
  const margin = lines.length > 1 ? Math.min(indentOf(second), indentOf(last)) : 0
  return lines.map((line, index) => (index === 0 ? line : line.slice(margin))).join('\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length
