import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtCommand, type ExampleProcess, startExample } from './example-process.ts'

/** A running app that `millrace init` has created. */
export interface NewApp {
  readonly url: string
  readonly process: ExampleProcess
  close(): Promise<void>
}

const installed = fileURLToPath(new URL('../../../../../node_modules/', import.meta.url))

/** Creates an app in a separate folder, links its dependencies, and runs one of its scripts. */
export async function startNewApp(script: 'start' | 'studio' = 'start'): Promise<NewApp> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-app-'))
  const made = startExample([builtCommand, 'init', '.'], { cwd: folder })
  await made.waitFor('npm start')
  const { scripts, dependencies } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as { scripts: Record<typeof script, string>; dependencies: object }
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true })
    await symlink(join(installed, name), join(folder, 'node_modules', name))
  }
  const [, ...args] = scripts[script].split(' ')
  const process = startExample([builtCommand, ...args], { cwd: folder })
  return {
    url: await process.url(),
    process,
    close: async () => {
      await process.stop()
      await rm(folder, { recursive: true })
    },
  }
}
