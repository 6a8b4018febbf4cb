import { parseArgs } from 'node:util'
import { type Command, type Terminal, misuse } from '../command.ts'
import { examine } from '../../doctor/examine.ts'
import { createPaint, hasProblems, toReportJson, toReportText } from '../../doctor/report.ts'

const usage = `URL [--token TOKEN] [--idle SECONDS] [--origin ORIGIN] [--json]

  URL        where clients reach the server, such as https://mill.example or https://mill.example/api
  --token    the token of the server (or MILLRACE_TOKEN, which other users of this machine cannot see)
  --idle     duration of the tested silence, up to 590; default 3. Proxies cut silences after 30, 60 or 100
  --origin   a site whose pages use the server, such as https://app.example
  --json     prints JSON

Sends paced frames through the proxies in front of a Millrace server, and reports what is held back,
compressed, cut or lost, and how to fix it. Exits with 1 if it finds a problem.`

/** The exit code of a program that Ctrl-C has ended. */
const stoppedCode = 130

/** `millrace doctor`: measures the effect of proxies on streams. */
export const doctor: Command = {
  usage,
  run: async (args, terminal) => {
    const { json, ...options } = readOptions(args, terminal.env)
    const controller = new AbortController()
    void terminal.untilStopped().then(() => controller.abort())
    const progress = createProgress(terminal, options.idleMs ?? 0)
    try {
      const report = await examine({
        ...options,
        signal: controller.signal,
        onProgress: progress.update,
      })
      progress.clear()
      const paint = createPaint(isColored(terminal))
      const { origin } = options
      terminal.print(json ? toReportJson(report, origin) : toReportText(report, { paint, origin }))
      return hasProblems(report) ? 1 : 0
    } catch (error) {
      if (!controller.signal.aborted) throw error
      return stoppedCode
    } finally {
      progress.clear()
      controller.abort()
    }
  },
}

function readOptions(args: readonly string[], env: Terminal['env']) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      token: { type: 'string' },
      idle: { type: 'string' },
      origin: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const [address, ...more] = positionals
  if (address === undefined) throw misuse('Name the server to examine.')
  if (more.length > 0) throw misuse(`Only one server can be examined at a time; remove ${more[0]}.`)
  return {
    url: decodeAddress(address),
    token: values.token ?? (env['MILLRACE_TOKEN'] || undefined),
    json: values.json,
    origin: values.origin === undefined ? undefined : decodeOrigin(values.origin),
    ...(values.idle !== undefined && { idleMs: decodeIdle(values.idle) }),
  }
}

/** Decodes an address. The default scheme is http for this machine, otherwise https. */
function decodeAddress(text: string): URL {
  const isLocal = /^(localhost|127\.|\[::1\])/.test(text)
  const full = /^https?:\/\//i.test(text) ? text : `${isLocal ? 'http' : 'https'}://${text}`
  if (URL.canParse(full)) return new URL(full)
  throw misuse(`${JSON.stringify(text)} is not an address; write it like https://mill.example.`)
}

function decodeOrigin(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text).origin
  throw misuse(`--origin must be a site such as https://app.example, not ${JSON.stringify(text)}.`)
}

function decodeIdle(text: string): number {
  const seconds = Number(text)
  if (seconds >= 1 && seconds <= 590) return Math.round(seconds * 1_000)
  throw misuse(`--idle must be seconds from 1 to 590, not ${JSON.stringify(text)}.`)
}

function isColored({ isInteractive = false, env }: Terminal): boolean {
  return isInteractive && (env['NO_COLOR'] ?? '') === ''
}

/** Shows the running checks with the elapsed time and, for a long silence, the total time. */
function createProgress({ showProgress }: Terminal, idleMs: number) {
  const startedAt = performance.now()
  const of = idleMs > 5_000 ? ` of about ${Math.round(idleMs / 1_000) + 1}` : ''
  let waitingFor: readonly string[] = []
  const show = (): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    if (waitingFor.length > 0) showProgress?.(`  ${seconds}${of} s  ${waitingFor.join(', ')} …`)
  }
  const timer = setInterval(show, 1_000)
  return {
    update: (names: readonly string[]): void => {
      waitingFor = names
      show()
    },
    clear: (): void => {
      clearInterval(timer)
      if (waitingFor.length > 0) showProgress?.('')
      waitingFor = []
    },
  }
}
