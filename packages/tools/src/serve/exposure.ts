import { isLoopback } from '../cli/is-loopback.ts'
import { misuse } from '../cli/command.ts'
import type { LoadedAgents } from './load-agents.ts'

/** Whether other machines can reach the agents of a module, and the module requires no authentication. */
function isExposed(host: string, { authorize, owner, token }: LoadedAgents['options']): boolean {
  return !isLoopback(host) && authorize === undefined && owner === undefined && token === undefined
}

/** The options of the command that admit clients. */
interface Admission {
  readonly host: string
  readonly token: string | undefined
  readonly isForAnyone: boolean
}

/** Rejects an address that other machines can reach without authentication. */
export function checkExposure(
  { host, token, isForAnyone }: Admission,
  own: LoadedAgents['options'],
): void {
  if (token !== undefined || isForAnyone || !isExposed(host, own)) return
  throw misuse(
    `${reachable(host)} Set MILLRACE_TOKEN, export \`options.owner\` or \`options.authorize\` from the module, or use --allow-anyone.`,
  )
}

/** The same for a server that is for one user of this machine, and requires no token. */
export function checkAlone(host: string, file: string, own: LoadedAgents['options']): void {
  if (!isExposed(host, own)) return
  throw misuse(
    `${reachable(host)} Use --host 127.0.0.1 for this machine only; for others run \`MILLRACE_TOKEN=… millrace serve ${file} --studio\`.`,
  )
}

function reachable(host: string): string {
  return `${host} can be reached from other machines, and no token would be required.`
}
