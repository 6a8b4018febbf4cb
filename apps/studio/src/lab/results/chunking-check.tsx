import { useEffect, useRef, useState } from 'react'
import { compareChunkings } from '../run/index.ts'
import type { Comparison, LabRun } from '../run/index.ts'

const PROMISE =
  'Parses the text whole, by code unit and in 50 random chunkings: the result must be the same.'

/** Verifies that the chunking does not change the result. */
export function ChunkingCheck({ run }: { readonly run: LabRun }) {
  const [comparison, setComparison] = useState<Comparison>()
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const check = () => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setComparison(undefined)
    void compareChunkings(run.settings, {
      signal: controller.signal,
      onProgress: setComparison,
    })
  }
  const { tone, text } = toVerdict(comparison)
  return (
    <div className="chunking-check">
      <span role="status" data-tone={tone} data-testid="verdict">
        {text}
      </span>
      <button type="button" className="button" title={PROMISE} onClick={check}>
        Check all chunkings
      </button>
    </div>
  )
}

function toVerdict(comparison: Comparison | undefined): { tone: string; text: string } {
  if (comparison === undefined) return { tone: 'calm', text: '' }
  const { done, total, different } = comparison
  if (different.length > 0)
    return { tone: 'bad', text: `Different result: ${different.join(', ')}` }
  if (done < total) return { tone: 'calm', text: `${done} of ${total} agree …` }
  return { tone: 'good', text: `✓ All ${total} chunkings agree` }
}
