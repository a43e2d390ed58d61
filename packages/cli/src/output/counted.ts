/** Returns, for example, `1 device` or `2 devices`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
