/** Formats a time since the first frame: later runs start after minutes, with frames milliseconds apart. */
export function toOffset(milliseconds: number): string {
  if (milliseconds < 1_000) return `+${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `+${(milliseconds / 1_000).toFixed(2)} s`
  const hundredths = Math.round(milliseconds / 10)
  const seconds = ((hundredths % 6_000) / 100).toFixed(2).padStart(5, '0')
  const minutes = Math.floor(hundredths / 6_000)
  const hours = Math.floor(minutes / 60)
  if (hours === 0) return `+${minutes}:${seconds}`
  return `+${hours}:${String(minutes % 60).padStart(2, '0')}:${seconds}`
}

const statusPattern = /,"name":"([^"\\]*)","stage":"([^"\\]*)"/

/** Returns the tool and the stage of a status line. */
function toStage(data: string): string {
  // The fields are after the tool's text, which may be long.
  const [, name = '', stage = ''] = statusPattern.exec(data.slice(-400)) ?? []
  return `${name} ${stage}`.trim()
}

/** Returns the beginning of a line's content, or a note for a line that only closes its block. */
export function toPreview(data: string): string {
  if (data.startsWith('{"type":"tool_status"')) {
    return [toStage(data), toDelta(data)].filter(Boolean).join(': ')
  }
  const isEnd = data.includes('"delta":""') && data.includes('"final":true')
  return isEnd ? '(end)' : toDelta(data)
}

function toDelta(data: string): string {
  const start = data.indexOf('"delta":"')
  if (start < 0) return ''
  const text = data.slice(start + 9, start + 169)
  if (text.startsWith('"')) return ''
  return text.replace(/"(?:,".*)?\}$/, '').replaceAll('\\"', '"')
}
