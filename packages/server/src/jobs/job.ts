export interface JobDefinition<Payload> {
  readonly name: string
  /** Parses the payload. Throws if it is invalid, for example because another release queued it in a different form. */
  parse(payload: unknown): Payload
}

export interface Job {
  readonly name: string
  run(payload: unknown): Promise<void>
}

export const defineJob = <Payload>(definition: JobDefinition<Payload>): JobDefinition<Payload> => definition

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
