/** Defines a kind of job by its name in the queue and the type of its payload. */
export interface JobDefinition<Payload> {
  readonly name: string
  /** Throws if the payload is invalid, because another release may have queued it. */
  parse(payload: unknown): Payload
}

/** A job with the handler for payloads from the queue. */
export interface Job {
  readonly name: string
  run(payload: unknown): Promise<void>
}

export const defineJob = <Payload>(definition: JobDefinition<Payload>): JobDefinition<Payload> => definition

/** Defines a job without a payload. */
export const defineChore = (name: string): JobDefinition<void> => ({ name, parse: () => {} })

export function implementJob<Payload>(
  { name, parse }: JobDefinition<Payload>,
  handle: (payload: Payload) => Promise<void>,
): Job {
  return { name, run: async (payload) => handle(parse(payload)) }
}

/** A crontab line. `match` specifies the minute, hour, day, month, and weekday in UTC. Each field can be `*`. */
export interface CronLine {
  job: JobDefinition<void>
  match: string
}
