import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { createProcessOwner } from './process-owner.ts'

const file = fileURLToPath(new URL('process-owner.ts', import.meta.url))
const children: ChildProcess[] = []

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** Another process, which reports its name and waits. */
async function start(): Promise<{ child: ChildProcess; node: string }> {
  const code = `const { createProcessOwner } = await import(${JSON.stringify(file)})
    process.stdout.write(createProcessOwner().node)
    setInterval(() => {}, 1000)`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', code]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, node: chunk.toString() }
}

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

const { node, isGone } = createProcessOwner()

describe('the owner of leases', () => {
  test('is identified by machine, process and start, the same each time', () => {
    expect(node).toMatch(new RegExp(`^.+:${process.pid}:@?\\d+$`))
    expect(createProcessOwner().node).toBe(node)
    expect(isGone(node)).toBe(false)
  })

  test('is gone once the process was killed, and not before', async () => {
    const { child, node: other } = await start()
    expect(other).not.toBe(node)
    expect(isGone(other)).toBe(false)
    child.kill('SIGSTOP')
    expect(isGone(other)).toBe(false)
    await kill(child)
    expect(isGone(other)).toBe(true)
  })

  test.skipIf(!existsSync('/proc/self/stat'))(
    'is not a process that only has the same id',
    async () => {
      const { node: other } = await start()
      expect(isGone(other.replace(/\d+$/, (time) => String(Number(time) - 1)))).toBe(true)
      expect(isGone(node.replace(/\d+$/, (time) => String(Number(time) - 1)))).toBe(true)
    },
  )

  test.skipIf(!existsSync('/proc/self/stat'))(
    'is gone if its process has ended, even if its parent has not collected the exit status',
    async () => {
      // The shell becomes a program that never waits for its child.
      const shell = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      children.push(shell)
      const [chunk] = (await once(shell.stdout, 'data')) as [Buffer]
      const pid = chunk.toString().trim()
      const stat = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')
      await expect.poll(() => stat()[2]).toBe('Z')
      expect(isGone(`${node.split(':')[0]}:${pid}:${stat()[21]}`)).toBe(true)
    },
  )

  test.each([
    'elsewhere:1:1',
    `elsewhere~00000000:${process.pid}:1`,
    'b2ab6c3e-1f7b-4f0f-a3b5-4a5a0c0b3b6e',
    '',
    'a:b:c',
    `${node}:1`,
    `${node.split(':')[0]}:99999999999999999999:1`,
    `${node.split(':')[0]}:-1:1`,
    `${node.split(':')[0]}:0:1`,
  ])('of %j is unknown', (owner) => expect(isGone(owner)).toBe(false))
})
