import type { GraphQLSchema } from 'graphql'
import type { ErrorCode } from '../errors.ts'
import { fragments } from './fragments.ts'
import { type Operation, readOperation } from './operation.ts'
import { routeGroups } from './routes.ts'
import { restCodes, statusOfCode } from './statuses.ts'

/** The REST API for people: docs/reference/rest.md, and what `GET /rest/v1` answers. */
export function restReference(schema: GraphQLSchema): string {
  const groups = Object.entries(routeGroups).map(
    ([name, routes]) => `## ${name.slice(0, 1).toUpperCase()}${name.slice(1)}

${routes.map((route) => describe(readOperation(route, schema))).join('\n\n')}
`,
  )
  return `# REST

For clients that cannot speak GraphQL. It is **deprecated from its beginning** and goes once nobody needs it: every route is a
GraphQL document, written out below, and the same document sent to \`POST /graphql/v1\` does the same; \`$self\` is your own user id.
Subscriptions have no route: have a webhook tell you of events, ask \`GET /rest/v1/events\` from time to time with \`minDate\` and leave
out the ids that you have seen, or subscribe at \`/graphql/v1/stream\`.

Paths are below \`/rest/v1\`; \`GET /rest/v1/openapi.json\` describes them for programs (OpenAPI 3.1).

- **Signatures, permissions and limits** are those of the GraphQL API. A signature covers path and query as they are sent. Sessions of
  a browser are not let in.
- **Parts of a path** are percent-encoded: the attribute \`a/b\` is \`…/attributes/a%2Fb\`. Colons in ids may stay.
- **GET** takes its arguments as query parameters. A list is a parameter given several times (\`platform=linux&platform=esp32\`).
  \`attributes\` is a parameter for each name (\`attributes.site=oslo&attributes.net.ssid=lab\`), or JSON (\`attributes={"site":null}\`,
  percent-encoded), which alone can ask for null. \`HEAD\` is served wherever GET is.
- **Changes** take theirs from the path and a JSON object as the body (\`Content-Type: application/json\`), and none from the query string.
  Left away and \`null\` mean what they mean in the GraphQL API. PATCH of attributes also takes \`application/merge-patch+json\`
  (RFC 7396). A DELETE may have a body, too; clients that cannot send one have \`POST /devices/delete\`.
- What must be given is in bold below. **Unknown** query parameters and members of the body are refused, and so is a parameter given twice that takes one value.
- **Answers** are JSON: 200; 201 with \`Location\` for what is new; 204 without a body where there is nothing to tell. Lists are objects
  with \`items\`; pages have \`total\`, \`hasMore\`, \`last\` and \`cursor\` besides, and a \`Link\` with \`rel="next"\` while there is more.
  \`total=false\` leaves out \`total\`, which takes time to count.
- **Headers** of every answer: \`Deprecation\` (RFC 9745), \`Link\` to the GraphQL API (\`rel="successor-version"\`) and to this page
  (\`rel="deprecation"\`), and \`x-request-id\`.

## Errors

\`{"errors": [{"message", "extensions": {"code"}}]}\`, as everywhere in the API. A request that was refused has changed nothing; one
that got 503 while it was under way may have been made, so look before you repeat a change.

| Code | HTTP status |
| --- | --- |
${restCodes.map((code) => `| \`${code}\` | ${statusText(code)} |`).join('\n')}

Besides, by HTTP alone: 404 for a path that is none, 405 with \`Allow\` for a method that a path does not serve, 413 for a body over the limit, 415
for a body that is not JSON.

${groups.join('\n')}
## Fragments

What the documents above spread, and what each object of an answer has.

\`\`\`graphql
${Object.values(fragments).map(unindent).join('\n')}
\`\`\`
`
}

const statusText = (code: ErrorCode): string =>
  code === 'LIMIT_EXCEEDED' ? `413 for the body as a whole, else ${statusOfCode(code)}` : String(statusOfCode(code))

function describe({ route, isChange, parameters }: Operation): string {
  const isNeeded = (name: string): boolean => route.written?.includes(name) ?? false
  const names = parameters.map(({ name, isRequired }) => (isRequired || isNeeded(name) ? `**${name}**` : name))
  const given = names.length === 0 ? '' : `\n\n${argumentsTitle(route.body, isChange)}: ${names.join(', ')}.`
  const part = route.at === undefined || route.status === 204 ? '' : ` with \`${route.at}\``
  return `### \`${route.method} ${route.path}\`

${route.summary}${given} Answers ${route.status}${part}.

\`\`\`graphql
${unindent(route.document)}
\`\`\``
}

const argumentsTitle = (body: string | undefined, isChange: boolean): string => {
  if (body !== undefined) return 'The body is'
  return isChange ? 'Body' : 'Query'
}

/** A document as it would be written at the left margin. */
function unindent(document: string): string {
  const lines = document.replaceAll(/\( /g, '(').split('\n')
  const [, second = ''] = lines
  const last = lines.at(-1) ?? ''
  const margin = lines.length > 1 ? Math.min(indentOf(second), indentOf(last)) : 0
  return lines.map((line, index) => (index === 0 ? line : line.slice(margin))).join('\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length
