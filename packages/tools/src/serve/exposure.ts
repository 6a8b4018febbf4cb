import { isLoopback } from '../cli/is-loopback.ts'
import { misuse } from '../cli/misuse.ts'
import type { LoadedAgents } from './load-agents.ts'

/** Tells whether other machines reach the agents of a module at an address, and the module asks nobody who they are. */
function isExposed(host: string, { authorize, token }: LoadedAgents['options']): boolean {
  return !isLoopback(host) && authorize === undefined && token === undefined
}

/** What lets others in, by the command's own options. */
interface Admission {
  readonly host: string
  readonly token: string | undefined
  readonly isForAnyone: boolean
}

/** Refuses an address that other machines reach where nobody is asked who they are. */
export function checkExposure(
  { host, token, isForAnyone }: Admission,
  own: LoadedAgents['options'],
): void {
  if (token !== undefined || isForAnyone || !isExposed(host, own)) return
  throw misuse(
    `${reachable(host)} Set MILLRACE_TOKEN, export \`options.authorize\` from the module, or say --allow-anyone.`,
  )
}

/** The same for a server that is meant for one person at this machine, and asks for no token. */
export function checkAlone(host: string, file: string, own: LoadedAgents['options']): void {
  if (!isExposed(host, own)) return
  throw misuse(
    `${reachable(host)} --host 127.0.0.1 keeps it to this machine; for others there is \`MILLRACE_TOKEN=… millrace serve ${file} --studio\`.`,
  )
}

function reachable(host: string): string {
  return `${host} can be reached from other machines, and nobody would be asked for a token.`
}
