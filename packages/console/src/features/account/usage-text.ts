interface Limit {
  name: string
  value: number
  used: number | null
}

export function usageText(limits: readonly Limit[] | undefined, name: string): string {
  const limit = limits?.find((candidate) => candidate.name === name)
  return limit === undefined || limit.used === null ? '' : `You use ${limit.used} of ${limit.value}.`
}
