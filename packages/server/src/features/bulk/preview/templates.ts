import { badInput, limitExceeded } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import { type AttributeName, parseAttributeName } from '../../attributes/attribute-name.ts'

type Part = string | { name: string }

/**
 * Splits a value into literal text and names in braces. `{{` is a literal brace. Throws if any other opening brace does
 * not begin a name.
 */
export function parseTemplate(value: string, path: string): Part[] {
  if (!value.includes('{')) return [value]
  const parts: Part[] = []
  for (const [, braces, name, text] of value.matchAll(/(\{\{)|\{([^{}]+)\}|([^{]+|\{)/gs)) {
    if (braces !== undefined) parts.push('{')
    else if (name !== undefined) parts.push({ name })
    else if (text === '{')
      throw badInput(`${path}: { must begin a name in braces, such as {name}; for a literal brace, write {{`)
    else parts.push(text!)
  }
  return parts
}

export const namesInTemplate = (value: string): string[] =>
  parseTemplate(value, 'operations').flatMap((part) => (typeof part === 'string' ? [] : part.name))

export const attributeOfPlaceholder = (name: string): AttributeName =>
  parseAttributeName(name.startsWith('attributes.') ? name.slice('attributes.'.length) : name, 'a name in braces')

/**
 * Replaces the names in braces with the device's values. Throws if the device lacks a value or the result is too long.
 * Checks the size before it joins the parts, so that a short template cannot use much memory.
 */
export function fillTemplate(template: string, path: string, readValue: (name: string) => string | null): string {
  if (!template.includes('{')) return template
  const filled: string[] = []
  let bytes = 0
  for (const part of parseTemplate(template, path)) {
    const value = typeof part === 'string' ? part : readValue(part.name)
    if (value === null) throw badInput(`${path}: the device has no value for {${(part as { name: string }).name}}`)
    bytes += Buffer.byteLength(value)
    if (bytes > limits.valueBytes)
      throw limitExceeded(
        `${path} may have at most ${limits.valueBytes} bytes after the device's values replace the names in braces`,
        { limit: limits.valueBytes },
      )
    filled.push(value)
  }
  return filled.join('')
}
