-- Findings and whole files are no longer stored. Findings are computed, and files are read from their chunks.

DROP TABLE findings;
DROP TABLE whole_files;
