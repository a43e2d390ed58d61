interface Limit {
  name: string
  value: number
  used: number | null
}

export function usageText(limits: readonly Limit[] | undefined, name: string, noun: string): string {
  const limit = limits?.find((candidate) => candidate.name === name)
  if (limit === undefined || limit.used === null) return ''
  return `You use ${limit.used} of at most ${limit.value} ${noun}.`
}
