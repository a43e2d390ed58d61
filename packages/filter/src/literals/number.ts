const form = /^-?[0-9]+(\.[0-9]+)?$/

/** Whether a word is a number of the language: digits with an optional minus and fraction. */
export const isNumber = (text: string): boolean => form.test(text)

/** Whether a word is a number with a fraction. */
export const hasFraction = (text: string): boolean => form.exec(text)?.[1] !== undefined

/** Whether a number has a fraction that ends in 0, as versions have and numbers do not. */
export const endsInZero = (text: string): boolean => hasFraction(text) && text.endsWith('0')

/** Writes a number as it is compared: without zeros at its ends. */
export function shortestNumber(text: string): string {
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.slice(sign.length).split('.')
  const digits = fraction.replace(/0+$/, '')
  return sign + (whole.replace(/^0+(?=\d)/, '') + (digits === '' ? '' : `.${digits}`))
}

const otherForm = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/

/** Whether a word is no number of the language, but a value that is compared as a number has this form, such as `1e5`. */
export const isOtherNumber = (text: string): boolean => otherForm.test(text) && !isNumber(text)
