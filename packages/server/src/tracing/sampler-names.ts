/** Those that the specification of OpenTelemetry's SDK has for `OTEL_TRACES_SAMPLER`, as far as they stand in this process alone. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

export type SamplerName = (typeof samplerNames)[number]
