import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Bench } from '../bench-case.ts'
import { formatTable } from '../table.ts'

/** The imported entries, with the maximum CPU milliseconds of each. */
const entries = [
  { name: 'millrace/server', maxMs: 100 },
  { name: 'millrace/client', maxMs: 10 },
] as const

const ROUNDS = 9

/** A module without content, whose import has only the cost of Node itself. */
const EMPTY = 'data:text/javascript,'

/** Measures the CPU of importing an entry into a new process, beyond that of importing an empty module. */
export const importsBench: Bench = {
  name: 'imports',
  run: async (onProgress) => {
    const rows: string[][] = []
    const faults: string[] = []
    const emptyMs = await measureImport(EMPTY)
    for (const { name, maxMs } of entries) {
      onProgress(`imports: ${name}`)
      const ms = (await measureImport(name)) - emptyMs
      rows.push([name, `${ms.toFixed(1)} ms`, `${maxMs} ms`])
      if (ms > maxMs) faults.push(`importing ${name} costs ${ms.toFixed(1)} ms of CPU`)
    }
    const table = formatTable([['', 'CPU', 'bound'], ...rows])
    const title = `imports: an entry, imported into a new process; an empty module: ${emptyMs.toFixed(1)} ms`
    return { text: `${title}\n${table}`, faults }
  },
}

const run = promisify(execFile)

/** Returns the minimum of several rounds, in milliseconds of user and system time. */
async function measureImport(name: string): Promise<number> {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const program = `
      const before = process.cpuUsage()
      await import(${JSON.stringify(name)})
      const { user, system } = process.cpuUsage(before)
      console.log(user + system)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: import.meta.dirname,
    })
    least = Math.min(least, Number(stdout) / 1_000)
  }
  return least
}
