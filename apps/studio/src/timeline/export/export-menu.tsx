import { useState } from 'react'
import type { RefObject } from 'react'
import { createPause, encodeFramesFile } from '../../recordings/index.ts'
import type { FrameLog } from '../../session/frames/index.ts'
import { SaveIcon, saveFile } from '../../ui/index.ts'
import { toPngFile, toSvg, toSvgFile } from './export-image.ts'

interface ExportMenuProps {
  /** Contains the charts, each with a title in `data-title`. */
  readonly body: RefObject<HTMLElement | null>
  readonly log: FrameLog
  readonly fileName: string
}

/** Saves the charts as an image, or all frames as a recording. */
export function ExportMenu({ body, log, fileName }: ExportMenuProps) {
  const [busy, setBusy] = useState('')
  const [problem, setProblem] = useState('')
  const picture = () => {
    const find = (selector: string) => [
      ...(body.current?.querySelectorAll<HTMLElement>(selector) ?? []),
    ]
    const charts = find('[data-title]').flatMap((box) => {
      const chart = box.querySelector('svg')
      return chart ? [{ title: box.dataset['title'] ?? '', chart }] : []
    })
    return toSvg(charts, find('.tl-legend li'))
  }
  const choices = [
    { label: 'PNG', title: 'The chart as an image', make: () => toPngFile(picture()), end: 'png' },
    {
      label: 'SVG',
      title: 'The chart as a drawing',
      make: () => Promise.resolve(toSvgFile(picture())),
      end: 'svg',
    },
    {
      label: 'Recording',
      title: 'All frames with their times, which can be opened here',
      make: () => encodeFramesFile(log.getSnapshot().frames, createPause()),
      end: 'sse',
    },
  ]
  const save = async ({ label, make, end }: (typeof choices)[number]) => {
    setBusy(label)
    setProblem('')
    try {
      saveFile(await make(), `${fileName}.${end}`)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    setBusy('')
  }
  return (
    <div className="tl-export" role="group" aria-label="Save as">
      <SaveIcon />
      {choices.map((choice) => (
        <button
          key={choice.label}
          type="button"
          className="quiet-button"
          title={choice.title}
          disabled={busy !== ''}
          onClick={() => void save(choice)}
        >
          {busy === choice.label ? 'Saving…' : choice.label}
        </button>
      ))}
      {problem && <span role="alert">{problem}</span>}
    </div>
  )
}
