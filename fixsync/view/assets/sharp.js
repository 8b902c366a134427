// Canvases at the screen's own resolution.

// Gives canvases the pixels that the first one's place on the page has; they are then drawn on in
// CSS pixels. Returns { ratio, width, height }.
export function sharpen(...canvases) {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  const { width, height } = canvases[0].getBoundingClientRect();
  for (const canvas of canvases) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  return { ratio, width, height };
}

// Calls seek(frame, isDragging) for a click on a canvas and while the pointer drags over it.
// frameAt: of a place across it, 0..1.
export function seekable(canvas, frameAt, seek) {
  const goTo = (event, isDragging) => {
    const { left, width } = canvas.getBoundingClientRect();
    seek(frameAt((event.clientX - left) / width), isDragging);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    goTo(event, true);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (canvas.hasPointerCapture(event.pointerId)) goTo(event, true);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (canvas.hasPointerCapture(event.pointerId)) goTo(event, false);
  });
}
