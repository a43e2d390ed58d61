/** A kind of job: its name in the queue, and its payload. */
export interface JobDefinition<Payload> {
  readonly name: string
  /** Throws if this is not a payload of this job. Another release may have queued it. */
  parse(payload: unknown): Payload
}

/** A job with its handler, which takes the payload from the queue. */
export interface Job {
  readonly name: string
  run(payload: unknown): Promise<void>
}

export const defineJob = <Payload>(definition: JobDefinition<Payload>): JobDefinition<Payload> => definition

/** A job without a payload. */
export const defineChore = (name: string): JobDefinition<void> => ({ name, parse: () => {} })

export function implementJob<Payload>(
  { name, parse }: JobDefinition<Payload>,
  handle: (payload: Payload) => Promise<void>,
): Job {
  return { name, run: async (payload) => handle(parse(payload)) }
}

/** A line of the crontab. `match` contains the minute, hour, day, month, and weekday in UTC, each of which may be `*`. */
export interface CronLine {
  job: JobDefinition<void>
  match: string
}
