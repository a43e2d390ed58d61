import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { SamplerName } from './sampler-names.ts'

export interface SamplerOptions {
  sampler: SamplerName
  /** Of the traces that begin here, from 0 to 1. */
  share: number
}

/** Decides which traces are kept. */
export function makeSampler({ sampler, share }: SamplerOptions): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(share),
  }
  const name = sampler.replace('parentbased_', '') as keyof typeof roots
  const root = roots[name]()
  return name === sampler ? root : new ParentBasedSampler({ root })
}
