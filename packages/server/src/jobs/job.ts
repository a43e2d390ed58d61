/** A kind of job: its name in the queue, and what it takes. */
export interface JobDefinition<Payload> {
  readonly name: string
  /** Throws for what is no payload of this job. What is in the queue may be of another release. */
  parse(payload: unknown): Payload
}

/** A job with what it does: it takes what is in the queue. */
export interface Job {
  readonly name: string
  run(payload: unknown): Promise<void>
}

export const defineJob = <Payload>(definition: JobDefinition<Payload>): JobDefinition<Payload> => definition

/** A job that takes nothing. */
export const defineChore = (name: string): JobDefinition<void> => ({ name, parse: () => {} })

export function implementJob<Payload>(
  { name, parse }: JobDefinition<Payload>,
  handle: (payload: Payload) => Promise<void>,
): Job {
  return { name, run: async (payload) => handle(parse(payload)) }
}

/** A line of the crontab: `match` is minute, hour, day, month and weekday in UTC, or a `*`. */
export interface CronLine {
  job: JobDefinition<void>
  match: string
}
