import type { GraphQLSchema } from 'graphql'
import type { ErrorCode } from '../errors.ts'
import { fragments } from './fragments.ts'
import { type Operation, readOperation } from './operation.ts'
import { statusOf } from './route.ts'
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

All paths start with \`/rest/v1\`. \`GET /rest/v1/openapi.json\` describes every route in OpenAPI 3.1.

- **Signatures, permissions, and limits** are the same as in the GraphQL API. A signature covers the
  path and the query string as sent. The REST API does not accept browser sessions.
- **Path segments** are percent-encoded: the attribute \`a/b\` is \`…/attributes/a%2Fb\`. You do not
  have to encode colons in IDs.
- **GET routes** accept arguments as query parameters. Every GET route supports \`HEAD\`.
  - For a list, repeat the parameter: \`platform=linux&platform=esp32\`.
  - Pass \`attributes\` as one parameter per name: \`attributes.site=oslo&attributes.net.ssid=lab\`.
    You can also pass the whole object as percent-encoded JSON:
    \`attributes=%7B%22site%22%3Anull%7D\` means \`{"site":null}\`. If the object contains null or a
    list, only JSON works. The same applies to other objects, such as \`access\`.
- **Routes that change data** accept arguments in the path and in a JSON body
  (\`Content-Type: application/json\`), not in the query string.
  - An omitted argument has the same meaning as in the GraphQL API, and so does \`null\`.
  - PATCH requests that change attributes also accept the content type
    \`application/merge-patch+json\` (RFC 7396).
  - A DELETE request can include a body. If your client cannot send a body with DELETE, use \`POST
    /devices/delete\` to delete active devices.
- **Required arguments** are in bold below. The server rejects unknown query parameters and unknown
  body members. It also rejects a repeated parameter that accepts only one value.
- **Responses** are JSON. The body is the result of the route's document, or the value in this
  result that the route's description names, such as \`login.devices\`. \`[0]\` means the first item of
  a list, and \`[id]\` or \`[key]\` means the item with the ID or key in the path. The status is 200,
  201 with a \`Location\` header for a new object, or 204 without a body.
- **Lists** are objects with \`items\`. Lists with pages also contain \`total\`, \`hasMore\`, and
  \`cursor\`, and most contain \`last\`. If another page follows, the response includes a \`Link\`
  header with \`rel="next"\`. Counting \`total\` takes time. To skip the count, pass \`total=false\`.
- **Headers** of every response include \`x-request-id\`, \`Deprecation\` (RFC 9745), and \`Link\`.
  The links lead to the GraphQL API (\`rel="successor-version"\`) and to this page
  (\`rel="deprecation"\`).

## Errors

Errors have the form \`{"errors": [{"message", "extensions": {"code"}}]}\`, as in all of Muster's
APIs. A request that fails changes nothing, with three exceptions:

- If \`extensions.outcome\` is \`done\`, the server made the change, but could not return its result.
- If \`extensions.outcome\` is \`unknown\`, the database connection broke during the change. Check
  whether the change was made before you repeat the request.
- If \`POST /bulk-jobs/run\` without an \`Idempotency-Key\` returns \`CONFLICT\`, the new job stays
  \`READY\`, and \`extensions.job\` contains its ID.

| Code | HTTP status |
| --- | --- |
${restCodes.map((code) => `| \`${code}\` | ${statusText(code)} |`).join('\n')}

Some errors with the code \`BAD_USER_INPUT\` have a status other than 400: 405 with an \`Allow\` header
for an unsupported method, 408 for a request that does not arrive in time, 415 for a body that is
compressed or whose content type is not JSON, and 422 for an \`Idempotency-Key\` that was used with
a different request.

${groups.join('\n')}
## Fragments

The documents above use these fragments, which list the fields of each object in a response.

\`\`\`graphql
${Object.values(fragments).map(unindent).join('\n')}
\`\`\`
`
}

const statusText = (code: ErrorCode): string =>
  code === 'LIMIT_EXCEEDED'
    ? `413 if the request body is too large, 431 if the request headers are too large, otherwise ${statusOfCode(code)}`
    : String(statusOfCode(code))

function describe({ route, isChange, parameters }: Operation): string {
  const isMandatory = (name: string): boolean => route.written?.includes(name) ?? false
  const names = parameters.map(({ name, isRequired }) => (isRequired || isMandatory(name) ? `**${name}**` : name))
  const given = names.length === 0 ? '' : `\n\n${argumentsTitle(route.body, isChange)} ${names.join(', ')}.`
  const part = route.at === undefined || route.status === 204 ? '' : ` with the value of \`${route.at}\` in the result`
  return `### \`${route.method} ${route.path}\`

${route.summary}${given} Response: ${statusOf(route)}${part}.

\`\`\`graphql
${unindent(route.document)}
\`\`\``
}

const argumentsTitle = (body: string | undefined, isChange: boolean): string => {
  if (body !== undefined) return 'The body is the value of'
  return isChange ? 'Body:' : 'Query:'
}

/**
 * Unindents all lines after the first, by the indentation of the second or the last line, whichever is smaller. Also
 * removes a space after each opening parenthesis.
 */
function unindent(document: string): string {
  const lines = document.replaceAll(/\( /g, '(').split('\n')
  const [, second = ''] = lines
  const last = lines.at(-1) ?? ''
  const margin = lines.length > 1 ? Math.min(indentOf(second), indentOf(last)) : 0
  return lines.map((line, index) => (index === 0 ? line : line.slice(margin))).join('\n')
}

const indentOf = (line: string): number => line.length - line.trimStart().length
