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
  /**
   * The fraction of traces, from 0 to 1, that the `traceidratio` samplers record. `parentbased_traceidratio` applies it
   * only to traces that begin in this server.
   */
  share: number
}

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
