import type { GraphQLSchema } from 'graphql'
import type { ErrorCode } from '../errors.ts'
import { fragments } from './fragments.ts'
import { type Operation, readOperation } from './operation.ts'
import { routeGroups } from './routes.ts'
import { restCodes, statusOfCode } from './statuses.ts'

export function restReference(schema: GraphQLSchema): string {
  const groups = Object.entries(routeGroups).map(
    ([name, routes]) => `## ${name.slice(0, 1).toUpperCase()}${name.slice(1)}

${routes.map((route) => describe(readOperation(route, schema))).join('\n\n')}
`,
  )
  return `# REST

The REST API is for clients that cannot use GraphQL. It has been **deprecated from the start** and
will be removed when no client needs it. Every route runs the GraphQL document that this page shows.
You can send the same document to \`POST /graphql/v1\`. In the documents, \`$self\` is the ID of your
account.

Subscriptions have no route. Use a webhook, or subscribe at \`/graphql/v1/stream\`. You can also
poll \`GET /rest/v1/events\` with \`minDate\`, and skip events whose IDs you have already received.

All paths start with \`/rest/v1\`. \`GET /rest/v1/openapi.json\` returns an OpenAPI 3.1 description.

- **Signatures, permissions, and limits** are the same as in the GraphQL API. A signature covers the
  path and the query string as sent. The server rejects browser sessions.
- **Path segments** are percent-encoded: the attribute \`a/b\` is \`…/attributes/a%2Fb\`. You do not
  have to encode colons in IDs.
- **GET routes** accept arguments as query parameters. Every GET route supports \`HEAD\`.
  - For a list, repeat the parameter: \`platform=linux&platform=esp32\`.
  - Pass \`attributes\` as one parameter per name: \`attributes.site=oslo&attributes.net.ssid=lab\`.
    You can also pass percent-encoded JSON: \`attributes={"site":null}\`. Only JSON can contain
    null. The same applies to other objects, such as \`access\`. Pass lists in these objects as
    JSON.
- **Changes** accept arguments in the path and in a JSON body (\`Content-Type: application/json\`),
  not in the query string.
  - Omitted arguments and \`null\` have the same meaning as in the GraphQL API.
  - PATCH requests that change attributes also accept the content type \`application/merge-patch+json\` (RFC 7396).
  - A DELETE request can include a body. If your client cannot send a body with DELETE, use \`POST
    /devices/delete\`.
- **Required arguments** are in bold below. The server rejects unknown query parameters and unknown
  body members. It also rejects a repeated parameter that accepts only one value.
- **Responses** are JSON. The status is 200, 201 with \`Location\` for a new object, or 204 without
  a body.
- **Lists** are objects with \`items\`. Pages also contain \`total\`, \`hasMore\`, \`last\`, and
  \`cursor\`. If another page follows, the response includes a \`Link\` with \`rel="next"\`.
  Counting \`total\` takes time. To omit it, pass \`total=false\`.
- **Headers** of every response include \`x-request-id\`, \`Deprecation\` (RFC 9745), and \`Link\`.
  The links lead to the GraphQL API (\`rel="successor-version"\`) and to this page
  (\`rel="deprecation"\`).

## Errors

Errors have the form \`{"errors": [{"message", "extensions": {"code"}}]}\`, as in all of Muster's
APIs. A rejected request changes nothing, unless \`extensions.outcome\` is \`done\`: the server then made
the change but could not return its result. If the server responds with 503 while a change is in
flight, it may have made the change. In that case, check the result before you repeat the request.

| Code | HTTP status |
| --- | --- |
${restCodes.map((code) => `| \`${code}\` | ${statusText(code)} |`).join('\n')}

Other statuses are 404 for an unknown path, 405 with \`Allow\` for an unsupported method, 413 for a
body above the limit, and 415 for a body that is not JSON.

${groups.join('\n')}
## Fragments

The documents above use these fragments. They list the fields of each object in a response.

\`\`\`graphql
${Object.values(fragments).map(unindent).join('\n')}
\`\`\`
`
}

const statusText = (code: ErrorCode): string =>
  code === 'LIMIT_EXCEEDED' ? `413 for the whole body, otherwise ${statusOfCode(code)}` : String(statusOfCode(code))

function describe({ route, isChange, parameters }: Operation): string {
  const isMandatory = (name: string): boolean => route.written?.includes(name) ?? false
  const names = parameters.map(({ name, isRequired }) => (isRequired || isMandatory(name) ? `**${name}**` : name))
  const given = names.length === 0 ? '' : `\n\n${argumentsTitle(route.body, isChange)} ${names.join(', ')}.`
  const part = route.at === undefined || route.status === 204 ? '' : ` with \`${route.at}\``
  return `### \`${route.method} ${route.path}\`

${route.summary}${given} Response: ${route.status}${part}.

\`\`\`graphql
${unindent(route.document)}
\`\`\``
}

const argumentsTitle = (body: string | undefined, isChange: boolean): string => {
  if (body !== undefined) return 'The body is the value of'
  return isChange ? 'Body:' : 'Query:'
}

/** Unindents all lines after the first, by the indentation of the second or the last line, whichever is smaller. */
function unindent(document: string): string {
  const lines = document.replaceAll(/\( /g, '(').split('\n')
  const [, second = ''] = lines
  const last = lines.at(-1) ?? ''
  const margin = lines.length > 1 ? Math.min(indentOf(second), indentOf(last)) : 0
  return lines.map((line, index) => (index === 0 ? line : line.slice(margin))).join('\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length
