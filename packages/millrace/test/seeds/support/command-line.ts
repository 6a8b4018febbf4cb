import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../../../../tools/src/cli/run-command.ts'
import { createRecordedTerminal } from '../../support/processes/recorded-terminal.ts'

/** Runs a command of `millrace` on a file with this content; returns its exit code and its whole output. */
export async function runOnFile(content: string, command: string, ...args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-seeds-'))
  try {
    const file = join(folder, 'stream.sse')
    await writeFile(file, content)
    const terminal = createRecordedTerminal()
    const code = await runCommand([command, ...args, file], terminal)
    const said = [...terminal.printed, ...terminal.complaints].join('\n')
    return { code, output: terminal.written.join(''), said }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
