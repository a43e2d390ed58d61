import { schemaPart } from '../../graphql/assemble.ts'
import { countReached, simulate } from './simulate.ts'

export const simulationPart = schemaPart(new URL('./simulation.graphql', import.meta.url), {
  User: {
    simulate: (_user, args, context) => simulate(context, args),
  },
  Simulation: {
    devices: (simulation, _args, context) => countReached(context, simulation),
  },
})
