import { checks, titleOf } from './checks.ts'
import { createExamination, type Examination } from './examination.ts'
import { explainFailure } from './failures.ts'
import { type CheckedFinding, type Finding, ok, problem } from './finding.ts'
import { type ProxyName, recognizeProxies } from './proxies.ts'
import type { Probe } from './probe.ts'
import { reach } from './reach.ts'
import { explainRefusal } from './refusal.ts'
import { createVisit, type Visit, type VisitOptions } from './visit.ts'

/** The results of all checks of a server. */
export interface Report {
  /** The examined address, to which the given one may redirect. */
  readonly url: string
  readonly version: string | undefined
  readonly proxies: readonly ProxyName[]
  readonly findings: readonly CheckedFinding[]
  /** The longest tested silence, if any. */
  readonly idleMs: number | undefined
}

interface ExamineOptions extends VisitOptions {
  /** Receives the titles of checks that are still running. */
  readonly onProgress?: (waitingFor: readonly string[]) => void
}

/** Examines a deployment: its address, then a stream, then everything else at once. */
export async function examine({
  onProgress = () => {},
  ...options
}: ExamineOptions): Promise<Report> {
  onProgress([titleOf('reach')])
  const reached = await reach(createVisit(options))
  const first = { check: 'reach', ...reached.finding }
  const { base = options.url, headers = {} } = reached
  const start = { url: base.href, version: undefined, idleMs: undefined }
  if (reached.base === undefined) {
    return { ...start, proxies: recognizeProxies(headers), findings: [first] }
  }
  onProgress([titleOf('access')])
  const visit = createVisit({ ...options, url: base })
  const { finding, greeted } = await openFirst(visit)
  const access = { check: 'access', ...finding }
  const greeting = greeted?.greeting
  if (greeted === undefined || greeting === undefined) {
    const proxies = recognizeProxies({ ...headers, ...greeted?.headers })
    return { ...start, proxies, findings: [first, access] }
  }
  const examination = createExamination(visit, greeted, greeting)
  const found = await runChecks(examination, onProgress)
  return {
    ...start,
    version: greeting.version,
    idleMs: visit.idleMs,
    proxies: recognizeProxies({ ...headers, ...greeted.headers }, greeting.forwarded),
    findings: [first, access, ...found],
  }
}

/** Requests one frame, which shows whether streams can be opened. */
async function openFirst(visit: Visit): Promise<{ finding: Finding; greeted?: Probe }> {
  try {
    const greeted = await visit.probe({ frames: 1, intervalMs: 0 })
    const finding =
      greeted.greeting === undefined
        ? explainRefusal(greeted, visit)
        : ok(`A stream opened in ${Math.round(greeted.headersMs)} ms`)
    return { finding, greeted }
  } catch (error) {
    return { finding: toFailure(error, visit.signal) }
  }
}

async function runChecks(
  examination: Examination,
  onProgress: NonNullable<ExamineOptions['onProgress']>,
): Promise<readonly CheckedFinding[]> {
  const waiting = new Set(Object.keys(checks))
  const report = (): void => onProgress([...waiting].map(titleOf))
  report()
  const found = await Promise.all(
    Object.entries(checks).map(async ([check, { run }]) => {
      const finding = await run(examination).catch((error: unknown) =>
        toFailure(error, examination.signal),
      )
      waiting.delete(check)
      report()
      return finding === undefined ? [] : [{ check, ...finding }]
    }),
  )
  return found.flat()
}

function toFailure(error: unknown, signal: AbortSignal): Finding {
  signal.throwIfAborted()
  const { seen, why } = explainFailure(error)
  return problem(`Could not be tested. ${seen}`, why)
}
