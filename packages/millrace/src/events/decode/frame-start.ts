import { typeOfEvent } from '../catalog/find-traits.ts'

const encoder = new TextEncoder()

/** Returns the first bytes of each frame of an event, of one agent or of any, or only of its last frame. [ENV-2] */
export function frameStart(event: string, agent?: string, part?: 'last'): Uint8Array {
  const type = `{"type":${JSON.stringify(typeOfEvent(event))},"agent":`
  if (agent === undefined) return encoder.encode(type)
  const final = part === 'last' ? '"final":true,' : ''
  return encoder.encode(`${type}${JSON.stringify(agent)},${final}`)
}
