const offered = ['application/graphql-response+json', 'application/json'] as const

export type ResponseType = (typeof offered)[number]

/**
 * Returns the media type that an Accept header requests (RFC 9110 §12.5.1), or undefined if the header accepts no
 * supported type. For wildcards and for requests without the header, the type is application/json. Clients that support
 * application/graphql-response+json request it explicitly (GraphQL over HTTP, "Legacy Watershed").
 */
export function negotiate(accept: string | undefined): ResponseType | undefined {
  if (accept === undefined || accept === '*/*') return 'application/json'
  let best: { type: ResponseType; quality: number } | undefined
  for (const range of (accept || '*/*').toLowerCase().split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim())
    const type = typeFor(name)
    if (!type || !isUtf8(parameters)) continue
    const quality = qualityOf(parameters)
    if (quality > 0 && (!best || quality > best.quality)) best = { type, quality }
  }
  return best?.type
}

function typeFor(name: string): ResponseType | undefined {
  if (name === '*/*' || name === 'application/*') return 'application/json'
  return offered.find((type) => type === name)
}

const isUtf8 = (parameters: readonly string[]): boolean =>
  parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter))

function qualityOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = weight ? Number(weight.slice(2)) : 1
  return quality >= 0 && quality <= 1 ? quality : 0
}
