/** A paper clip. */
export function ClipIcon() {
  return (
    <svg
      className="icon"
      width={18}
      height={18}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M13 7.3 8.1 12.2a3.1 3.1 0 0 1-4.4-4.4l5.2-5.2a2.1 2.1 0 0 1 3 3L6.7 10.8a1 1 0 0 1-1.5-1.5l4.5-4.5" />
    </svg>
  )
}
