import type { RecordingEnd } from '../recordings/index.ts'

/** The result of an exchange. */
export interface ExchangeReport {
  readonly method: string
  /** The path without secrets. */
  readonly path: string
  /** Absent if the endpoint did not respond. */
  readonly status?: number
  readonly end: RecordingEnd
  readonly bytes: number
  readonly chunks: number
  readonly ms: number
  /** Absent if nothing was recorded. */
  readonly file?: string
  /** The reason why nothing was recorded, or the failure. */
  readonly problem?: string
}

const endWords: Readonly<Record<RecordingEnd, string>> = {
  complete: '',
  cut: ', cut',
  error: ', failed',
}

/** Describes an exchange in one line. */
export function describeExchange(report: ExchangeReport): string {
  const { method, path, status, end, bytes, chunks, ms, file, problem } = report
  const size = `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}, ${toSize(bytes)}`
  const what = status === undefined ? 'no response' : `${status}, ${size}`
  const facts = `${what}, ${(ms / 1000).toFixed(1)} s${endWords[end]}`
  const fate = file === undefined ? 'not recorded' : `→ ${file}`
  return `${method} ${path}  ${facts}  ${fate}${problem === undefined ? '' : ` (${problem})`}`
}

function toSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`
}
