import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import { rootAgent } from '../../src/client/transcript/index.ts'
import { bubblewrapMissing } from '../support/processes/bubblewrap.ts'
import {
  builtCommand,
  type ExampleProcess,
  startExample,
} from '../support/processes/example-process.ts'
import { countRunning, untilNoneRuns } from '../support/processes/processes.ts'

const CANARY = 'canary-7b1f3c'
const module = fileURLToPath(new URL('../support/processes/sandboxed-agent.mjs', import.meta.url))

let top: string
let root: string
let server: ExampleProcess
let url: string

async function start(env: Record<string, string> = {}): Promise<void> {
  const store = ['--store', 'sqlite:.millrace/deep/millrace.db']
  const args = [builtCommand, 'serve', module, '--port', '0', '--log-format', 'json', ...store]
  server = startExample(args, {
    cwd: root,
    env: { PROVIDER_KEY: CANARY, HOME: join(top, 'home'), ...env },
  })
  url = await server.url()
}

/** Runs a command through the model, the tool and the server, and returns its result. */
async function run(command: string): Promise<string> {
  const session = createSession({ url })
  try {
    await session.run(command)
    const blocks = [...(rootAgent(session.getSnapshot().transcript)?.blocks ?? [])]
    const call = blocks.find(({ type }) => type === 'tool_call')
    if (call?.result === undefined) throw new Error(`There is no result of ${command}`)
    return call.result.text
  } finally {
    session.close()
  }
}

const isServing = async (): Promise<boolean> => (await fetch(`${url}/health`)).ok

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-sandbox-')))
  root = join(top, 'root')
  mkdirSync(root)
  mkdirSync(join(top, 'home'))
  writeFileSync(join(top, 'home', '.secret'), CANARY)
  writeFileSync(join(top, 'beside.txt'), CANARY)
  symlinkSync(join(top, 'beside.txt'), join(root, 'link.txt'))
  symlinkSync('.millrace/deep/millrace.db', join(root, 'data'))
  await start()
})

afterAll(async () => {
  await server.stop()
  rmSync(top, { recursive: true, force: true })
})

/** The environment of a process is at the top of its stack. */
const readStack = `
  const fs = require("fs")
  const folder = "/proc/" + process.argv[1]
  const line = fs.readFileSync(folder + "/maps", "utf8").split("\\n").find((text) => text.includes("[stack]"))
  const [start, end] = line.split(" ")[0].split("-").map((text) => parseInt(text, 16))
  const bytes = Buffer.alloc(end - start)
  fs.readSync(fs.openSync(folder + "/mem"), bytes, 0, bytes.length, start)
  console.log(bytes.toString("latin1").match(/canary-\\w+/)[0])
`

/** Each tries to read the canary, which is in the server's environment, memory and files. */
const readers: Readonly<Record<string, () => string>> = {
  'environment of the parent': () => 'tr "\\0" "\\n" < /proc/$PPID/environ',
  'environment of every process': () => 'grep -ah canary /proc/*/environ /proc/*/task/*/environ',
  'environment of the server by its id': () => `cat /proc/${server.child.pid}/environ`,
  'memory of the server': () => `node -e '${readStack}' ${server.child.pid}`,
  'working folder of the server': () => `cat /proc/${server.child.pid}/cwd/../beside.txt`,
  'own environment': () => 'env; export -p; echo $PROVIDER_KEY',
  'open descriptors': () => 'for fd in /proc/self/fd/*; do readlink $fd; done; cat <&3; cat <&4',
  'file beside the workspace': () => `cat ../beside.txt ${top}/beside.txt`,
  'link that leads out': () => 'cat link.txt',
  'home of the server': () => 'cat ~/.secret; cat $HOME/.secret',
  'temporary files': () => `grep -r canary /tmp --include=beside.txt`,
}

describe.skipIf(bubblewrapMissing !== '')(`commands of a served agent${bubblewrapMissing}`, () => {
  test.each(Object.entries(readers))('do not read the %s', async (_, command) => {
    expect(await run(command())).not.toContain(CANARY)
    expect(await isServing()).toBe(true)
  })

  test('see only their own processes, and cannot trace or end the server', async () => {
    const pid = server.child.pid
    const names = await run('for p in /proc/[0-9]*; do tr "\\0" " " < $p/cmdline; echo; done')
    expect(names).not.toContain('dist/main.js')
    expect(names).toContain('cmdline')
    const answer = await run(`kill -9 ${pid}; kill -9 $PPID`)
    expect(answer).toContain('No such process')
    expect(await run(`strace -p ${pid} 2>&1; gdb -p ${pid} --batch 2>&1; true`)).not.toContain(
      'attached',
    )
    expect(await isServing()).toBe(true)
  })

  test('cannot read, replace or move the database of the server', async () => {
    expect(await run('wc -c < .millrace/deep/millrace.db')).toContain('Permission denied')
    const attempts = [
      'cat .millrace/deep/* data | strings | grep -c millrace',
      'rm -f .millrace/deep/millrace.db; mv .millrace/deep/millrace.db x; ln .millrace/deep/millrace.db y',
      'mv .millrace moved; mv .millrace/deep moved; rm -rf .millrace; echo x > .millrace/deep/millrace.db',
      'cp -r .millrace copy && find copy -size +0',
    ]
    for (const attempt of attempts) {
      expect(await run(attempt)).not.toMatch(/SQLite|^[1-9]/)
      expect(await isServing()).toBe(true)
    }
    expect(await run('find . -name "millrace.db*" -size +0')).toBe('(no output)')
  })

  test('cannot get the database through the file tools either', async () => {
    for (const path of ['.millrace/deep/millrace.db', 'data', '.millrace/deep/millrace.db-wal']) {
      expect(await run(`read_file {"path":"${path}"}`)).toContain('belongs to the server')
      expect(await run(`write_file {"path":"${path}","content":""}`)).toContain(
        'belongs to the server',
      )
    }
    expect(await run(`read_file {"path":"link.txt"}`)).toContain('leads out of the workspace')
    expect(await run(`grep_search {"pattern":"SQLite","all":true}`)).toContain('No line matches')
  })

  test('cannot write outside the workspace, nor settings of the kernel', async () => {
    const places = ['/usr/x', '/etc/x', '/x', '/proc/sys/kernel/core_pattern']
    for (const place of places) {
      expect(await run(`cat /proc/sys/kernel/core_pattern > ${place} && echo wrote`)).not.toContain(
        'wrote',
      )
    }
    await run(`echo > ${top}/beside.txt; echo > link.txt; rm -rf ${top}/outside`)
    expect(readFileSync(join(top, 'beside.txt'), 'utf8')).toBe(CANARY)
    expect(await run('cat /etc/shadow | wc -c')).toMatch(/^0\n|Permission denied/)
    expect(await run('touch inside /tmp/own && ls inside /tmp/own')).toBe('/tmp/own\ninside\n')
    expect(await run('ls /tmp/own')).toContain('No such file')
  })

  test('have no privileges, no terminal and no other user namespace', async () => {
    expect(await run('grep CapEff /proc/self/status')).toContain('0000000000000000')
    expect(await run('unshare -Ur id && echo nested')).not.toContain('nested')
    const inject = `python3 -c 'import fcntl,termios,os; fcntl.ioctl(os.open("/dev/tty",2),termios.TIOCSTI,b"x"); print("injected")'`
    expect(await run(inject)).not.toContain('injected')
  })

  test('leave no process behind, however they start it', async () => {
    const mark = '30004711'
    const escape = `setsid sleep ${mark} & (trap "" HUP TERM; exec nohup setsid sleep ${mark}) & sleep 0.2; echo left`
    expect(await run(escape)).toContain('left')
    expect(await untilNoneRuns(mark)).toBe(0)
  })

  test('that fork endlessly are ended, and the server continues', async () => {
    expect(await run('for i in $(seq 3000); do sleep 60 & done; wait')).toContain(
      'more than 512 processes',
    )
    expect(await isServing()).toBe(true)
  })

  test('end with a server that is killed', async () => {
    const mark = '30004712'
    const session = createSession({ url })
    void session.run(`setsid sleep ${mark} & sleep ${mark}`).catch(() => {})
    await expect.poll(() => countRunning(`sleep ${mark}`)).toBeGreaterThan(1)
    server.child.kill('SIGKILL')
    await server.exit
    expect(await untilNoneRuns(`sleep ${mark}`)).toBe(0)
    await start({ SANDBOX_NETWORK: 'none' })
    session.close()
  })

  test('have no network if so configured', async () => {
    const { port } = new URL(url)
    expect(await run(`(echo > /dev/tcp/127.0.0.1/${port}) && echo reached`)).not.toContain(
      'reached',
    )
  })
})

test('a server without a sandbox reports that at its start', async () => {
  await server.stop()
  await start({ SANDBOX_MODE: 'auto', BWRAP_PATH: '/no/such/bwrap' })
  await server.waitFor('MILLRACE_NO_SANDBOX')
  expect(server.output()).toContain('Workspace commands run without a sandbox')
  expect(await run('echo works')).toBe('works\n')
})
