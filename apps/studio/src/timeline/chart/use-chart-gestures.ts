import { useEffect, useRef } from 'react'
import type { PointerEvent, RefObject } from 'react'
import { AXIS_HEIGHT, toTime } from './chart-layout.ts'
import type { ChartFrame } from './chart-layout.ts'
import type { Zoom } from './use-window.ts'

/** The distance in pixels up to which a movement is a click. */
const CLICK_SLACK = 4

interface ChartGesturesOptions {
  readonly chart: RefObject<HTMLElement | null>
  readonly frame: ChartFrame
  readonly zoom: Zoom
  /** Called with the time of a click or of a drag on the scale; undefined if no time can be selected. */
  readonly onPick: ((at: number) => void) | undefined
}

/**
 * Handles gestures: the wheel with Ctrl or ⌘ and pinching zoom, dragging and the horizontal wheel pan, clicks and
 * dragging on the scale select a time.
 */
export function useChartGestures({ chart, frame, zoom, onPick }: ChartGesturesOptions) {
  const latest = useRef({ frame, zoom })
  useEffect(() => {
    latest.current = { frame, zoom }
  })
  useEffect(() => {
    const element = chart.current
    if (!element) return undefined
    const onWheel = (event: WheelEvent) => {
      const { frame: place, zoom: by } = latest.current
      const isZoom = event.ctrlKey || event.metaKey
      const side = event.shiftKey ? event.deltaY : event.deltaX
      if (!isZoom && Math.abs(side) <= (event.shiftKey ? 0 : Math.abs(event.deltaY))) return
      event.preventDefault()
      if (isZoom) by.zoom(Math.exp(event.deltaY / 200), timeOf(event, element, place))
      else by.pan(side / (place.width - place.left))
    }
    // React listens passively, and then the page would zoom.
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [chart])

  const pointers = useRef(new Map<number, { x: number; startX: number; isOnScale: boolean }>())
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return
    const isOnScale = onPick !== undefined && isScale(event, frame)
    const { clientX: x, currentTarget } = event
    pointers.current.set(event.pointerId, { x, startX: x, isOnScale })
    if (!isOnScale) return
    currentTarget.setPointerCapture(event.pointerId)
    onPick(timeAtX(x, currentTarget, frame))
  }
  const onPointerMove = (event: PointerEvent) => {
    const pointer = pointers.current.get(event.pointerId)
    if (!pointer) return
    if (pointer.isOnScale) {
      onPick?.(timeAtX(event.clientX, event.currentTarget, frame))
      return
    }
    const others = [...pointers.current].filter(([id]) => id !== event.pointerId)
    const other = others[0]?.[1]
    const before = pointer.x
    pointer.x = event.clientX
    if (other) {
      const factor = spread(before, other.x) / spread(event.clientX, other.x)
      zoom.zoom(factor, timeAtX((event.clientX + other.x) / 2, event.currentTarget, frame))
    } else if (Math.abs(event.clientX - pointer.startX) > CLICK_SLACK) {
      event.currentTarget.setPointerCapture(event.pointerId)
      zoom.pan((before - event.clientX) / (frame.width - frame.left))
    }
  }
  const onPointerUp = (event: PointerEvent) => {
    const pointer = pointers.current.get(event.pointerId)
    pointers.current.delete(event.pointerId)
    if (!pointer || pointer.isOnScale) return
    if (event.type === 'pointercancel' || pointers.current.size > 0) return
    if (Math.abs(event.clientX - pointer.startX) > CLICK_SLACK) return
    onPick?.(timeAtX(event.clientX, event.currentTarget, frame))
  }
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp }
}

/** Reports whether a pointer is on the time scale above the lanes. */
function isScale({ clientX, clientY, currentTarget }: PointerEvent, { left }: ChartFrame): boolean {
  const box = currentTarget.getBoundingClientRect()
  return clientY - box.top < AXIS_HEIGHT && clientX - box.left >= left - CLICK_SLACK
}

function spread(one: number, other: number): number {
  return Math.max(20, Math.abs(one - other))
}

function timeOf(event: WheelEvent, element: Element, frame: ChartFrame): number {
  return timeAtX(event.clientX, element, frame)
}

function timeAtX(clientX: number, element: Element, frame: ChartFrame): number {
  return toTime(clientX - element.getBoundingClientRect().left, frame)
}
