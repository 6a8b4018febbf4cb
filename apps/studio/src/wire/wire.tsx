import {
  type ReactNode,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { findBlock, type FrameLogSnapshot, type LoggedFrame } from '../session/frames/index.ts'
import {
  type AgentStyles,
  styleOf,
  toTranslationNote,
  useAgentStyles,
  useStudio,
} from '../session/index.ts'
import { toSize } from '../text/index.ts'
import { bringPane } from '../ui/index.ts'
import { FrameDetail } from './frame-detail.tsx'
import { FrameList } from './frame-list.tsx'
import {
  createFrameSelectors,
  createFrameTest,
  findFrame,
  type FrameFilter,
  noFilter,
} from './select-frames.ts'

/** The pause in typing after which the count is announced. */
const PAUSE_MS = 500

/** Lists every frame of the stream. */
export function Wire() {
  const { frames: log, readOnly, translatedFrom } = useStudio()
  const snapshot = useSyncExternalStore(log.subscribe, log.getSnapshot)
  const agentStyles = useAgentStyles()
  const [filter, setFilter] = useState(noFilter)
  const [selected, setSelected] = useState<LoggedFrame>()
  const target = useJumpTarget((frame) => {
    setSelected(frame)
    setFilter((before) => (createFrameTest(before)(frame) ? before : noFilter))
  })
  const showInChat = useShowInChat()
  const { frames, total, bytes } = snapshot
  // Typing is immediate; the frames follow when all were tested.
  const settled = useDeferredValue(filter)
  const [toSelector] = useState(createFrameSelectors)
  const select = useMemo(() => toSelector(settled), [toSelector, settled])
  const shown = select(frames)
  return (
    <>
      <WireHead
        {...{ filter, onFilter: setFilter }}
        settledText={settled.text}
        shown={shown.length}
      >
        {total.toLocaleString('en')} frames · {toSize(bytes)}
      </WireHead>
      <WireFilter {...{ snapshot, agentStyles, filter, onFilter: setFilter }} />
      {translatedFrom !== undefined && (
        <p className="wire-note">{toTranslationNote(translatedFrom)}</p>
      )}
      {total > frames.length && (
        <p className="wire-note">
          {readOnly === 'past' && frames.length === 0
            ? 'The frames up to here are no longer kept.'
            : `Only the last ${frames.length.toLocaleString('en')} are kept.`}
        </p>
      )}
      {total === 0 ? (
        <EmptyWire isPast={readOnly === 'past'} />
      ) : (
        <FrameList
          frames={shown}
          agentStyles={agentStyles}
          startTime={snapshot.startTime}
          selected={selected}
          target={target}
          onSelect={setSelected}
        />
      )}
      {selected && (
        <FrameDetail
          frame={selected}
          agentStyle={styleOf(agentStyles, selected.agent)}
          onShow={showInChat(selected)}
          onClose={() => setSelected(undefined)}
        />
      )}
    </>
  )
}

/** Returns the frame of the last jump, another object each time. */
function useJumpTarget(onTarget: (frame: LoggedFrame) => void): LoggedFrame | undefined {
  const { frames: log, jumps } = useStudio()
  const [target, setTarget] = useState<LoggedFrame>()
  const latest = useRef(onTarget)
  useEffect(() => {
    latest.current = onTarget
  })
  useEffect(
    () =>
      jumps.wire.subscribe((index) => {
        const { frames } = log.getSnapshot()
        const frame = frames[findFrame(frames, { index })]
        if (!frame) return
        setTarget({ ...frame })
        latest.current(frame)
      }),
    [jumps, log],
  )
  return target
}

/** Returns a function that opens the block of a frame; undefined if it is unknown. */
function useShowInChat(): (frame: LoggedFrame) => (() => void) | undefined {
  const { moments, jumps } = useStudio()
  const show = async (frame: LoggedFrame): Promise<void> => {
    const place = findBlock(moments, frame)
    if (!place) return
    await bringPane('chat')
    jumps.chat.notify(place)
  }
  return (frame) => {
    const isKnown = frame.agent !== '' && frame.index >= moments.earliest()
    return isKnown ? () => void show(frame) : undefined
  }
}

function EmptyWire({ isPast }: { readonly isPast: boolean }) {
  return (
    <div className="wire-empty">
      <p>{isPast ? 'There were no frames yet.' : 'No frames yet.'}</p>
      <p>Each frame of the stream is listed here with its number, its size and its JSON.</p>
    </div>
  )
}

interface WireHeadProps {
  readonly filter: FrameFilter
  readonly onFilter: (filter: FrameFilter) => void
  /** The text of the applied filter, which may lag behind the input. */
  readonly settledText: string
  /** The number of frames that match it. */
  readonly shown: number
  /** Totals of the wire. */
  readonly children: ReactNode
}

/** Shows the totals of the wire and a search field. */
function WireHead({ filter, onFilter, settledText, shown, children }: WireHeadProps) {
  const notice = useFoundNotice(settledText, shown)
  return (
    <div className="wire-head">
      <h2>The wire</h2>
      <span className="muted" data-testid="wire-totals">
        {children}
      </span>
      <search>
        <span className="visually-hidden" role="status">
          {notice}
        </span>
        <span className="muted">
          {settledText.trim() !== '' && `${shown.toLocaleString('en')} found`}
        </span>
        <input
          type="search"
          value={filter.text}
          placeholder="Find frames"
          aria-label="Show only frames that contain"
          title="Each frame is searched separately; words split over several frames are not found"
          onChange={(event) => onFilter({ ...filter, text: event.target.value })}
        />
      </search>
    </div>
  )
}

/** Returns the announcement of the number of matches, once for each text. */
function useFoundNotice(text: string, found: number): string {
  const words = text.trim()
  const [notice, setNotice] = useState('')
  const latest = useRef(found)
  useEffect(() => {
    latest.current = found
  })
  useEffect(() => {
    const timer = setTimeout(() => setNotice(toNotice(words, latest.current)), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  return notice
}

function toNotice(words: string, found: number): string {
  if (words === '') return ''
  return `${found.toLocaleString('en')} ${found === 1 ? 'frame' : 'frames'} found for ${words}`
}

interface WireFilterProps {
  readonly snapshot: FrameLogSnapshot
  readonly agentStyles: AgentStyles
  readonly filter: FrameFilter
  readonly onFilter: (filter: FrameFilter) => void
}

/** Selects the frames to show. */
function WireFilter({ snapshot, agentStyles, filter, onFilter }: WireFilterProps) {
  const { types, agents } = snapshot
  if (types.size === 0) return null
  const toggle = (type: string) => {
    const chosen = new Set(filter.types)
    if (!chosen.delete(type)) chosen.add(type)
    onFilter({ ...filter, types: chosen })
  }
  return (
    <div className="wire-filter" role="group" aria-label="Show only these types">
      {[...types].map(([type, count]) => (
        <button
          key={type}
          type="button"
          aria-pressed={filter.types.has(type)}
          onClick={() => toggle(type)}
        >
          {type} <span>{count.toLocaleString('en')}</span>
        </button>
      ))}
      {agents.length > 1 && (
        <AgentSelect
          {...{ agents, agentStyles }}
          value={filter.agent}
          onChange={(agent) => onFilter({ ...filter, agent })}
        />
      )}
    </div>
  )
}

interface AgentSelectProps {
  readonly agents: readonly string[]
  readonly agentStyles: AgentStyles
  readonly value: string
  readonly onChange: (agent: string) => void
}

function AgentSelect({ agents, agentStyles, value, onChange }: AgentSelectProps) {
  return (
    <select aria-label="Agent" value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">All agents</option>
      {agents.map((agent) => (
        <option key={agent} value={agent}>
          {styleOf(agentStyles, agent).label}
        </option>
      ))}
    </select>
  )
}
