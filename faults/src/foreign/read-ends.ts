import { decodeEnvelope } from 'millrace'

/** The number of runs that began in a log. */
export function countRuns(log: readonly string[]): number {
  return log
    .map((line) => decodeEnvelope(line))
    .filter(({ type, final }) => type === 'meta_init' && final).length
}

/** The stop reasons of the runs of a log, the first one first. */
export function readStopReasons(log: readonly string[]): readonly string[] {
  return log
    .map((line) => decodeEnvelope(line))
    .filter(({ type }) => type === 'meta_end')
    .map(({ delta }) => (JSON.parse(delta) as { readonly stop_reason: string }).stop_reason)
}
