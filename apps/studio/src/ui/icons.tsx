import type { ReactNode } from 'react'

function Icon({ children, size = 16 }: { readonly children: ReactNode; readonly size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  )
}

/** Logo: a mill wheel over water. */
export function Logo() {
  return (
    <Icon size={22}>
      <circle cx="8" cy="6.4" r="4.4" />
      <path d="M8 2v8.8M3.6 6.4h8.8M4.9 3.3l6.2 6.2M11.1 3.3 4.9 9.5" strokeWidth="0.9" />
      <path d="M.8 14c1.8 0 1.8-1.3 3.6-1.3S6.2 14 8 14s1.8-1.3 3.6-1.3S13.4 14 15.2 14" />
    </Icon>
  )
}

/** Icon for adding. */
export function PlusIcon() {
  return (
    <Icon>
      <path d="M8 3.5v9M3.5 8h9" />
    </Icon>
  )
}

/** Icon for sending. */
export function SendIcon() {
  return (
    <Icon>
      <path d="M8 13V3.5M4 7.2 8 3.2l4 4" />
    </Icon>
  )
}

/** Icon of a tool. */
export function ToolIcon() {
  return (
    <Icon>
      <path d="M9.8 5.9a3 3 0 0 1 3.7-3.7l-1.8 1.8.4 1.5 1.5.4 1.8-1.8a3 3 0 0 1-3.9 3.7l-4.9 5a1.4 1.4 0 0 1-2-2z" />
    </Icon>
  )
}

/** Icon of a thought. */
export function ThoughtIcon() {
  return (
    <Icon>
      <path d="M8 2.2a4.3 4.3 0 0 1 2.5 7.8c-.4.3-.6.7-.6 1.2H6.1c0-.5-.2-.9-.6-1.2A4.3 4.3 0 0 1 8 2.2zM6.4 13.6h3.2" />
    </Icon>
  )
}

/** Icon of a sub-agent. */
export function AgentIcon() {
  return (
    <Icon>
      <circle cx="8" cy="5.2" r="2.7" />
      <path d="M2.8 13.6a5.2 5.2 0 0 1 10.4 0" />
    </Icon>
  )
}

/** Icon for stopping. */
export function StopIcon() {
  return (
    <Icon>
      <rect x="4.2" y="4.2" width="7.6" height="7.6" rx="1.2" fill="currentColor" />
    </Icon>
  )
}

/** Icon of a file. */
export function FileIcon() {
  return (
    <Icon>
      <path d="M4 2h5l3.2 3.2V14H4zM9 2v3.2h3.2" />
    </Icon>
  )
}

/** Icon of a question. */
export function QuestionIcon() {
  return (
    <Icon>
      <circle cx="8" cy="8" r="6" />
      <path d="M6.3 6.3a1.8 1.8 0 1 1 2.4 1.9c-.5.2-.7.5-.7 1M8 11.4v.1" />
    </Icon>
  )
}

/** Icon of an error. */
export function AlertIcon() {
  return (
    <Icon>
      <path d="M8 2.2 14.3 13H1.7zM8 6.5v3M8 11.4v.1" />
    </Icon>
  )
}

/** Icon for scrolling to the end. */
export function DownIcon() {
  return (
    <Icon>
      <path d="M8 3v9.5M4 8.8l4 4 4-4" />
    </Icon>
  )
}

/** Icon for playing. */
export function PlayIcon() {
  return (
    <Icon>
      <path d="M5 3.2v9.6L12.8 8z" fill="currentColor" />
    </Icon>
  )
}

/** Icon for pausing. */
export function PauseIcon() {
  return (
    <Icon>
      <path d="M5.2 3.5v9M10.8 3.5v9" strokeWidth="2.6" />
    </Icon>
  )
}

/** Icon for the next step. */
export function StepIcon() {
  return (
    <Icon>
      <path d="m6 3.5 4.5 4.5L6 12.5" />
    </Icon>
  )
}

/** Icon for the previous step. */
export function StepBackIcon() {
  return (
    <Icon>
      <path d="M10 3.5 5.5 8l4.5 4.5" />
    </Icon>
  )
}

/** Icon for the first step. */
export function FirstIcon() {
  return (
    <Icon>
      <path d="M12 3.5 7.5 8l4.5 4.5M4 3.5v9" />
    </Icon>
  )
}

/** Icon for the last step. */
export function LastIcon() {
  return (
    <Icon>
      <path d="M4 3.5 8.5 8 4 12.5M12 3.5v9" />
    </Icon>
  )
}

/** Icon for opening a file. */
export function OpenIcon() {
  return (
    <Icon>
      <path d="M1.8 12.8V3.4h4l1.5 1.8h5.4v2M1.8 12.8l2.1-5.6h10.6l-2.1 5.6z" />
    </Icon>
  )
}

/** Icon for saving. */
export function SaveIcon() {
  return (
    <Icon>
      <path d="M8 2.5v7.2M4.8 6.8 8 10l3.2-3.2M2.5 13.2h11" />
    </Icon>
  )
}

/** Icon of a server. */
export function ServerIcon() {
  return (
    <Icon>
      <rect x="2.2" y="2.8" width="11.6" height="4.4" rx="1.2" />
      <rect x="2.2" y="8.8" width="11.6" height="4.4" rx="1.2" />
      <path d="M4.7 5v.1M4.7 11v.1" strokeWidth="2" />
    </Icon>
  )
}

/** Icon of a link. */
export function LinkIcon() {
  return (
    <Icon>
      <path d="M6.6 9.4 9.4 6.6M7.4 4.6l1.3-1.3a2.8 2.8 0 0 1 4 4l-1.3 1.3M8.6 11.4l-1.3 1.3a2.8 2.8 0 0 1-4-4l1.3-1.3" />
    </Icon>
  )
}

/** Icon for editing. */
export function EditIcon() {
  return (
    <Icon>
      <path d="m10.8 3 2.2 2.2-7.4 7.4-2.9.7.7-2.9zM9.3 4.5l2.2 2.2" />
    </Icon>
  )
}

/** Icon for attaching files. */
export function ClipIcon() {
  return (
    <Icon size={18}>
      <path
        d="M13 7.3 8.1 12.2a3.1 3.1 0 0 1-4.4-4.4l5.2-5.2a2.1 2.1 0 0 1 3 3L6.7 10.8a1 1 0 0 1-1.5-1.5l4.5-4.5"
        strokeWidth="1.4"
      />
    </Icon>
  )
}
