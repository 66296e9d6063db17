/** The key that makes all fixes, within the editor. */
export const FIX_ALL = "Alt-Shift-f";
