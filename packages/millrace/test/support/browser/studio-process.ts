import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtCommand, type ExampleProcess, startExample } from '../processes/example-process.ts'

/** `millrace dev` as a process with its sessions in a file, which can be killed and restarted at the same address. */
export interface StudioProcess {
  readonly url: string
  /** Ends it at once, like a crash. */
  kill(): Promise<void>
  /** Starts it again, with a model of another pace; resolves when it listens. */
  restart(tokensPerSecond: number): Promise<void>
  close(): Promise<void>
}

/** Starts a {@link StudioProcess} whose model emits this many tokens a second. */
export async function startStudioProcess(tokensPerSecond: number): Promise<StudioProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-studio-'))
  const port = await findFreePort()
  let running: ExampleProcess | undefined
  const start = async (pace: number): Promise<string> => {
    const store = `sqlite:${join(folder, 'sessions.db')}`
    const options = ['--port', `${port}`, '--pace', `${pace}`, '--store', store]
    running = startExample([builtCommand, 'dev', ...options])
    return running.url()
  }
  const kill = async (): Promise<void> => {
    running?.child.kill('SIGKILL')
    await running?.exit
    running = undefined
  }
  return {
    url: await start(tokensPerSecond),
    kill,
    restart: async (pace) => void (await start(pace)),
    close: async () => {
      await kill()
      await rm(folder, { recursive: true })
    },
  }
}

/** A port that was free a moment ago, because a restarted server must use the same. */
async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}
