import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * Runs a command in a process that Node restarts when a file that it has imported changes; resolves with its exit code.
 * Each process hands its runs to the next one, so that a change of an agent ends no run.
 */
export async function runWatched(args: readonly string[]): Promise<number> {
  const [node, main = ''] = process.argv
  const flags = [...process.execArgv, '--watch', '--watch-preserve-output']
  const child = spawn(node ?? process.execPath, [...flags, main, ...args], { stdio: 'inherit' })
  const exit = once(child, 'exit') as Promise<[number | null]>
  // A terminal sends Ctrl-C to both processes. This one waits for the other, which stops its server first.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void (signal === 'SIGINT' || child.kill(signal)))
  const [code] = await exit
  return code ?? 1
}
