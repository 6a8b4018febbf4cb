import type { RecordingEnd } from '../recordings/index.ts'

/** What became of an exchange. */
export interface ExchangeReport {
  readonly method: string
  /** Without its secrets. */
  readonly path: string
  /** Absent where the endpoint never answered. */
  readonly status?: number
  readonly end: RecordingEnd
  readonly bytes: number
  readonly chunks: number
  readonly ms: number
  /** Absent where nothing was recorded. */
  readonly file?: string
  /** Why nothing was recorded, or what broke. */
  readonly problem?: string
}

const endWords: Readonly<Record<RecordingEnd, string>> = {
  complete: '',
  cut: ', cut',
  error: ', broken',
}

/** Says in one line what was recorded. */
export function describeExchange(report: ExchangeReport): string {
  const { method, path, status, end, bytes, chunks, ms, file, problem } = report
  const size = `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}, ${toSize(bytes)}`
  const what = status === undefined ? 'no answer' : `${status}, ${size}`
  const facts = `${what}, ${(ms / 1000).toFixed(1)} s${endWords[end]}`
  const fate = file === undefined ? 'not recorded' : `→ ${file}`
  return `${method} ${path}  ${facts}  ${fate}${problem === undefined ? '' : ` (${problem})`}`
}

function toSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`
}
