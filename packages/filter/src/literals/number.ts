const form = /^-?[0-9]+(\.[0-9]+)?$/

/** Returns whether a word is a number: digits with an optional minus sign and fraction. */
export const isNumber = (text: string): boolean => form.test(text)

export const hasFraction = (text: string): boolean => form.exec(text)?.[1] !== undefined

/** Returns whether a number has a fraction that ends in 0, which is common in versions but rare in measurements. */
export const endsInZero = (text: string): boolean => hasFraction(text) && text.endsWith('0')

export function shortestNumber(text: string): string {
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.')
  const digits = fraction.replace(/0+$/, '')
  return sign + (whole.replace(/^0+(?=\d)/, '') + (digits === '' ? '' : `.${digits}`))
}

const otherForm = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/**
 * Returns whether a word looks like a number, but is not a number in the filter language. As attribute values, some of
 * these words, such as `1e5`, are compared as numbers.
 */
export const isOtherNumber = (text: string): boolean => otherForm.test(text) && !isNumber(text)
