import { hostname } from 'node:os'
import type { AgentConfig } from '../config/config.ts'
import { detectServices, type RunningService, unclearInodes } from '../services/detect-services.ts'
import { findListening } from '../services/listening.ts'
import { createPrograms, type Programs } from '../services/socket-programs.ts'
import { findPlatform } from './platform.ts'

export async function describeMachine({ name, platform }: AgentConfig): Promise<{ name: string; platform: string }> {
  return { name: name ?? hostname(), platform: platform ?? (await findPlatform()) }
}

export async function findServices(
  { services }: AgentConfig,
  programs: Programs = createPrograms(),
): Promise<RunningService[] | undefined> {
  const sockets = await findListening()
  if (sockets === undefined) return undefined
  return detectServices(sockets, services, programs.namesOf(unclearInodes(sockets, services)))
}
